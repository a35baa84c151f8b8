package io.mortise.internal.lock;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.NoBackendException;
import io.mortise.internal.wire.QueueTimes;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceBuilderTest {
  private static String refused(UnaryOperator<LockService.Builder> options) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> options.apply(new ServiceBuilder()).uri("redis://localhost").open());
    return String.valueOf(e.getMessage());
  }

  private static void assertContains(String part, String message) {
    assertTrue(message.contains(part), message);
  }

  @Test
  void everyOptionIsSetOnceAndASecondCallShowsBothValues() {
    List<UnaryOperator<LockService.Builder>> setters =
        List.of(
            builder -> builder.uri("redis://localhost"),
            builder -> builder.provider("jedis"),
            builder -> builder.property("a", "b"),
            builder -> builder.property("a", "b"),
            builder -> builder.leaseTime(Duration.ofSeconds(30)),
            builder -> builder.maxHold(Duration.ofSeconds(30)),
            builder -> builder.commandTimeout(Duration.ofSeconds(1)),
            builder -> builder.keyPrefix("mine:"),
            builder -> builder.handOffLimit(1),
            builder -> builder.retain(Duration.ofMillis(10)),
            builder -> builder.interruptOnLoss(true),
            builder -> builder.breakDeadlocks(true),
            builder -> builder.redissonInterop(true),
            builder -> builder.executor(Runnable::run));

    for (UnaryOperator<LockService.Builder> setter : setters) {
      LockService.Builder builder = setter.apply(new ServiceBuilder());
      IllegalStateException e =
          assertThrows(IllegalStateException.class, () -> setter.apply(builder));
      assertContains("already", String.valueOf(e.getMessage()));
    }
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () -> new ServiceBuilder().handOffLimit(7).handOffLimit(8));
    assertContains("7", String.valueOf(e.getMessage()));
    assertContains("8", String.valueOf(e.getMessage()));
  }

  @Test
  void aLeaseTooShortToBeRenewedIsRefused() {
    assertContains("PT0.099S", refused(builder -> builder.leaseTime(Duration.ofMillis(99))));
    assertContains("PT0S", refused(builder -> builder.leaseTime(Duration.ZERO)));
    assertContains("PT-1S", refused(builder -> builder.leaseTime(Duration.ofSeconds(-1))));
    assertContains(
        "10,000 days", refused(builder -> builder.leaseTime(Duration.ofSeconds(Long.MAX_VALUE))));
  }

  @Test
  void aCommandTimeoutBeyondAThirdOfTheLeaseIsRefused() {
    String message =
        refused(builder ->
            builder.leaseTime(Duration.ofSeconds(3)).commandTimeout(Duration.ofMillis(1001)));

    assertContains("PT1.001S", message);
    assertContains("PT3S", message);
    assertContains("PT0.009S", refused(builder -> builder.commandTimeout(Duration.ofMillis(9))));
  }

  @Test
  void aLimitShorterThanTheLeaseIsRefused() {
    assertContains("maxHold PT29S", refused(builder -> builder.maxHold(Duration.ofSeconds(29))));
  }

  @Test
  void aNegativeHandOffLimitIsRefused() {
    assertContains("-1", refused(builder -> builder.handOffLimit(-1)));
  }

  @Test
  void aLockIsRetainedForTenMillisecondsAtMost() {
    assertContains("negative", refused(builder -> builder.retain(Duration.ofNanos(-1))));
    assertContains("half of leaseTime", refused(builder -> builder.retain(Duration.ofSeconds(16))));
    assertContains(
        "half of leaseTime",
        refused(
            builder -> builder.leaseTime(Duration.ofSeconds(1)).retain(Duration.ofMillis(501))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a{b}:", "a{"})
  void aBadPrefixIsRefused(String prefix) {
    assertContains("key prefix", refused(builder -> builder.keyPrefix(prefix)));
  }

  @Test
  void aServiceNeedsAUriOrABackendAndNotBoth() {
    assertThrows(IllegalStateException.class, () -> new ServiceBuilder().open());
    assertThrows(IllegalStateException.class, () -> new ServiceBuilder().provider("x").open());
  }

  @Test
  void aMalformedUriIsRefusedWithoutShowingItsSecret() {
    for (String bad : List.of("redis://user:s3cr3t pass@host", "://s3cr3t", "s3cr3t", "")) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> new ServiceBuilder().uri(bad), bad);
      for (Throwable each = e; each != null; each = each.getCause()) {
        assertFalse(each.toString().contains("s3cr3t"), each.toString());
      }
    }
  }

  @Test
  void anUnservedUriIsNotShownWithItsSecret() {
    LockService.Builder builder = new ServiceBuilder().uri("nosuch://user:s3cr3t@host");

    NoBackendException e = assertThrows(NoBackendException.class, builder::open);

    assertContains("nosuch", String.valueOf(e.getMessage()));
    assertFalse(String.valueOf(e.getMessage()).contains("s3cr3t"));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2_000, 3_600_000})
  void theTimesOfTheQueueKeepTheirRules(long timeout) {
    Duration command = Duration.ofMillis(timeout);
    QueueTimes times = QueueTimes.standard(command);
    Duration twoDelays = Duration.ofMillis(2 * 400);
    Duration check = times.recheck();
    Duration window = times.grantWindow();
    Duration alive = times.alive();

    assertTrue(window.compareTo(twoDelays) > 0, "else every grant ends before it is confirmed");
    assertTrue(check.plus(twoDelays).compareTo(window) < 0, "else a lost message costs the place");
    assertTrue(alive.compareTo(window.plus(check)) >= 0, "else it is gone before it asks again");
    assertTrue(alive.compareTo(check.multipliedBy(2).plus(command)) >= 0, "the same");
  }
}
