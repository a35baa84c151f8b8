package io.mortise.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.client.Linkage;
import io.mortise.spring.WithLock;
import io.mortise.spring.boot.LocksEndpoint;
import io.mortise.spring.boot.LocksForceUnlock;
import io.mortise.spring.boot.MortiseAutoConfiguration;
import io.mortise.spring.boot.MortiseProperties;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.FieldHint;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.env.MapPropertySource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ClassUtils;

/** What Spring tells the builder of a native image about an application with the starter. */
class NativeHintsTest {
  private static final String CLASS_NAME = "([a-z0-9]+\\.)+[A-Z][A-Za-z0-9]+";

  /** Only the names of result types are compared with these, which needs no hint. */
  private static final String COMPARED = "org\\.springframework\\.(http|web)\\..+";

  private static RuntimeHints hints;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @BeforeAll
  static void processAheadOfTime() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      Map<String, Object> properties =
          Map.of(
              "management.endpoints.web.exposure.include", "locks",
              "mortise.actuator.force-unlock", "true");
      context
          .getEnvironment()
          .getPropertySources()
          .addFirst(new MapPropertySource("test", properties));
      context.register(Application.class, CounterService.class);
      DefaultGenerationContext generation =
          new DefaultGenerationContext(
              new ClassNameGenerator(ClassName.get(Application.class)),
              new InMemoryGeneratedFiles());
      new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
      hints = generation.getRuntimeHints();
    }
  }

  private static TypeHint hint(Class<?> type) {
    TypeHint hint = hints.reflection().getTypeHint(type);
    assertTrue(hint != null, () -> "no hint for " + type.getName());
    return hint;
  }

  private static void callable(Class<?> type, String method) {
    List<String> methods = hint(type).methods().map(ExecutableHint::getName).toList();
    assertTrue(methods.contains(method), () -> type.getName() + " has " + methods);
  }

  @Test
  void theMethodsWithALock() {
    callable(CounterService.class, "pay");
    callable(CounterService.class, "increment");
  }

  @Test
  void theEndpointAndItsRecords() {
    callable(LocksEndpoint.class, "locks");
    callable(LocksEndpoint.class, "lock");
    callable(LocksForceUnlock.class, "forceUnlock");
    for (Class<?> type : LocksEndpoint.class.getDeclaredClasses()) {
      if (type.isRecord()) {
        Stream.of(type.getRecordComponents()).forEach(each -> callable(type, each.getName()));
      }
    }
  }

  @Test
  void theProxyOfAServiceThatIsOpenedAtItsFirstUse() {
    assertTrue(
        hints
            .proxies()
            .jdkProxyHints()
            .anyMatch(
                each ->
                    each.getProxiedInterfaces()
                        .equals(List.of(TypeReference.of(LockService.class)))));
  }

  @Test
  void theFieldOfTheConnectionFactory() {
    assertTrue(
        hint(LettuceConnectionFactory.class)
            .fields()
            .map(FieldHint::getName)
            .anyMatch("configuration"::equals));
  }

  @Test
  void theProperties() {
    for (Class<?> type : MortiseProperties.class.getDeclaredClasses()) {
      if (type.isRecord()) {
        assertEquals(1, hint(type).constructors().count(), type::getName);
      }
    }
    assertEquals(1, hint(MortiseProperties.class).constructors().count());
  }

  /** Without a hint, a class that is looked for by name is absent in a native image. */
  @ParameterizedTest
  @ValueSource(classes = {WithLock.class, MortiseAutoConfiguration.class})
  void everyClassThatIsLookedForByName(Class<?> inJar) {
    List<String> found =
        Linkage.beside(inJar).texts().stream()
            .filter(text -> text.matches(CLASS_NAME) && !text.matches(COMPARED))
            .filter(text -> ClassUtils.isPresent(text, null))
            .toList();
    assertTrue(found.size() >= 3, found::toString);
    for (String name : found) {
      assertTrue(hints.reflection().getTypeHint(TypeReference.of(name)) != null, name);
    }
  }
}
