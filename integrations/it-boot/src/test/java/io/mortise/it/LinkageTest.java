package io.mortise.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.client.Linkage;
import io.mortise.micrometer.MortiseMetrics;
import io.mortise.spring.WithLock;
import io.mortise.spring.boot.MortiseAutoConfiguration;
import io.mortise.spring.boot.MortiseMetricsAutoConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.util.ClassUtils;

/**
 * Everything to which the jars refer exists on the class path of this line of Spring Boot, also on
 * paths that no test takes.
 */
class LinkageTest {
  @ParameterizedTest
  @ValueSource(classes = {WithLock.class, MortiseAutoConfiguration.class, MortiseMetrics.class})
  void everyReferenceOfTheJarIsThere(Class<?> inJar) {
    Linkage jar = Linkage.beside(inJar);
    assertTrue(jar.classes().size() > 5, () -> jar.classes().toString());
    assertEquals(List.of(), jar.missing());
  }

  /** In the class file of the changed class, one class and one method have another name. */
  @Test
  void aReferenceThatIsMissingIsFound(@TempDir Path folder) throws IOException {
    try (InputStream in = ClassLoader.getSystemResourceAsStream("io/mortise/it/Shop.class")) {
      String changed =
          new String(in.readAllBytes(), ISO_8859_1)
              .replace("boot/SpringApplication", "boot/SpringApplicatiom")
              .replace("getEnvironment", "getEnvironmemt");
      Files.write(folder.resolve("Shop.class"), changed.getBytes(ISO_8859_1));
    }
    assertEquals(
        List.of(
            "Shop: no class org.springframework.boot.SpringApplicatiom",
            "Shop: no org.springframework.context.ConfigurableApplicationContext"
                + ".getEnvironmemt()Lorg/springframework/core/env/ConfigurableEnvironment;"),
        Linkage.of(folder).missing());
  }

  /** Each is named twice, as it was called in 3.5 and as it is called since 4.0. */
  @ParameterizedTest
  @ValueSource(classes = {MortiseAutoConfiguration.class, MortiseMetricsAutoConfiguration.class})
  void halfOfTheAutoConfigurationsThatAreNamedAsTextAreThere(Class<?> ours) {
    String[] names = ours.getAnnotation(AutoConfiguration.class).afterName();
    long there = Stream.of(names).filter(name -> ClassUtils.isPresent(name, null)).count();
    assertEquals(names.length / 2, there, () -> List.of(names).toString());
  }
}
