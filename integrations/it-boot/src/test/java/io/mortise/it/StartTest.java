package io.mortise.it;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.LockBackend;
import io.mortise.spring.WithLock;
import io.mortise.spring.boot.LockServiceCustomizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A start that is refused says what is wrong and what to do, without a stack trace. */
@ExtendWith(OutputCaptureExtension.class)
class StartTest {
  private static void refuses(
      CapturedOutput output, Class<?> more, String[] properties, String... texts) {
    Class<?>[] sources = {Bare.class, more};
    assertThrows(RuntimeException.class, () -> Shop.startWithoutWeb(sources, properties));
    String all = output.getAll();
    assertTrue(all.contains("APPLICATION FAILED TO START"), all);
    for (String text : texts) {
      assertTrue(all.contains(text), text + " is not in: " + all);
    }
    assertFalse(all.contains("\tat "), all);
  }

  private static String[] memory() {
    return new String[] {"mortise.uri=memory:${random.uuid}"};
  }

  static class Plain {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Bare {}

  static class FinalMethod {
    @WithLock("a")
    public final void work() {}
  }

  @Test
  void aMethodThatCannotBeIntercepted(CapturedOutput output) {
    refuses(output, FinalMethod.class, memory(), "FinalMethod.work()", "final", "Action:");
  }

  @Test
  void aServerThatIsNotThereByUri(CapturedOutput output) {
    refuses(
        output,
        Plain.class,
        new String[] {"mortise.uri=redis://127.0.0.1:1", "mortise.backend=lettuce"},
        "127.0.0.1:1",
        "mortise.connect=first-use");
  }

  @Test
  void aServerThatIsNotThereByTheApplicationsClient(CapturedOutput output) {
    refuses(
        output,
        Plain.class,
        new String[] {"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=1"},
        "127.0.0.1:1",
        "spring.data.redis");
  }

  @Test
  void aSchemeWithoutABackend(CapturedOutput output) {
    refuses(output, Plain.class, new String[] {"mortise.uri=ftp://nowhere"}, "ftp");
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoBackends {
    @Bean
    LockBackend first() {
      return InMemoryStore.create().backend();
    }

    @Bean
    LockBackend second() {
      return InMemoryStore.create().backend();
    }
  }

  @Test
  void twoStoresOfWhichNoneIsPrimary(CapturedOutput output) {
    refuses(output, TwoBackends.class, new String[0], "[first, second]", "@Primary");
  }

  @Configuration(proxyBeanMethods = false)
  static class OneBackend {
    @Bean
    LockBackend backend() {
      return InMemoryStore.create().backend();
    }
  }

  @Test
  void aBackendOfTheApplicationBesideAUri(CapturedOutput output) {
    refuses(output, OneBackend.class, memory(), "LockBackend", "mortise.uri", "Remove one");
  }

  /** Neither the application's Redis nor its LockBackend is the backend of that name. */
  @ParameterizedTest
  @ValueSource(classes = {Plain.class, OneBackend.class})
  void aBackendByNameWithoutAUri(Class<?> application, CapturedOutput output) {
    refuses(
        output,
        application,
        new String[] {"mortise.backend=memory"},
        "mortise.backend is 'memory', and mortise.uri is not set",
        "Set mortise.uri");
  }

  @Test
  void lockedMethodsWithoutALockService(CapturedOutput output) {
    refuses(
        output,
        CounterService.class,
        new String[] {"mortise.enabled=false"},
        "CounterService",
        "because mortise.enabled is not true",
        "Remove the property mortise.enabled");
  }

  @Test
  void aTimeThatTheServiceRefuses(CapturedOutput output) {
    refuses(
        output,
        Plain.class,
        new String[] {memory()[0], "mortise.lease-time=30"},
        "mortise.lease-time",
        "'30'",
        "without a unit",
        "30s");
  }

  @Test
  void aTimeThatTheServiceRefusesAlsoIfItIsOpenedLater(CapturedOutput output) {
    refuses(
        output,
        Plain.class,
        new String[] {memory()[0], "mortise.lease-time=30", "mortise.connect=first-use"},
        "mortise.lease-time");
  }

  @Test
  void valuesThatAreUsedLater(CapturedOutput output) {
    refuses(output, "mortise.with-lock.wait-for=-1s", "'PT-1S'", "0 waits for nobody");
    refuses(output, "mortise.close-timeout=-5s", "'PT-5S'", "0 waits for no hold");
    refuses(output, "mortise.jedis.pool-size=0", "'0'", "1 connection or more");
    refuses(output, "mortise.key-prefix=", "''", "1 to 512 bytes");
    refuses(output, "mortise.key-prefix=a{b}", "'a{b}'", "no braces");
  }

  private static void refuses(CapturedOutput output, String property, String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("property '" + property.substring(0, property.indexOf('=')) + "'");
    refuses(
        output, Plain.class, new String[] {memory()[0], property}, all.toArray(String[]::new));
  }

  @Test
  void timesThatDoNotFitTogether(CapturedOutput output) {
    refuses(
        output,
        Plain.class,
        new String[] {memory()[0], "mortise.lease-time=3s", "mortise.command-timeout=2s"},
        "mortise.command-timeout",
        "more than a third of mortise.lease-time PT3S");
    refuses(
        output,
        Plain.class,
        new String[] {memory()[0], "mortise.max-hold=3s"},
        "mortise.max-hold",
        "shorter than mortise.lease-time PT30S");
    refuses(
        output,
        Plain.class,
        new String[] {memory()[0], "mortise.retain=16s"},
        "mortise.retain",
        "more than half of mortise.lease-time PT30S");
  }

  @Test
  void anOptionOfACustomizerThatIsRefused(CapturedOutput output) {
    refuses(
        output,
        ShortHold.class,
        memory(),
        "maxHold PT1S",
        "LockServiceCustomizer",
        "APPLICATION FAILED TO START");
  }

  @Configuration(proxyBeanMethods = false)
  static class ShortHold {
    @Bean
    LockServiceCustomizer shortHold() {
      return builder -> builder.maxHold(Duration.ofSeconds(1));
    }
  }

  @Test
  void aNodeOfAClusterInPlaceOfASingleServer(CapturedOutput output) {
    try (RedisServer node =
        RedisServer.builder().arguments("--cluster-enabled", "yes").start()) {
      for (String client : List.of("lettuce", "jedis")) {
        refuses(
            output,
            Plain.class,
            new String[] {
              "spring.data.redis.client-type=" + client, "spring.data.redis.port=" + node.port()
            },
            "cluster master",
            "set spring.data.redis.cluster.nodes");
      }
    }
  }

  @Test
  void groupsOfMetersWithoutABound(CapturedOutput output) {
    refuses(
        output,
        Plain.class,
        new String[] {memory()[0], "mortise.metrics.max-groups=0"},
        "mortise.metrics.max-groups",
        "give at least 1");
  }
}
