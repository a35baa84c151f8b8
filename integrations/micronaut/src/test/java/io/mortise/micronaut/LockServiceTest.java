package io.mortise.micronaut;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.mortise.Lease;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lock service that the module makes from properties. */
class LockServiceTest {
  private static final String URI = "mortise.uri=memory:LockServiceTest";

  @Singleton
  @Requires(property = "test", value = "changed")
  static class Listener implements LockListener {
    final AtomicInteger acquired = new AtomicInteger();

    @Override
    public void acquired(LockAttempt attempt, LockHold hold) {
      acquired.incrementAndGet();
    }
  }

  @Singleton
  @Requires(property = "test", value = "changed")
  static class Changes implements BeanCreatedEventListener<LockService.Builder> {
    @Override
    public LockService.Builder onCreated(BeanCreatedEvent<LockService.Builder> event) {
      return event.getBean().breakDeadlocks(true);
    }
  }

  @Test
  void thePropertiesMakeAServiceThatIsClosedWithTheContext() {
    LockService locks;
    try (ApplicationContext context =
        Contexts.startAlone(
            "none", URI, "mortise.lease-time=9s", "mortise.backend=memory", "mortise.retain=1s")) {
      locks = context.getBean(LockService.class);
      assertSame(locks, context.getBean(LockService.class));
      locks.getLock("a").lock();
      Duration left = locks.getLock("a").remaining();
      assertTrue(left.toMillis() > 0 && left.toMillis() <= 9_000, left::toString);
      locks.getLock("a").unlock();
    }
    assertThrows(LockServiceClosedException.class, () -> locks.getLock("a"));
  }

  @Test
  void withoutAnAddressThereIsNoService() {
    try (ApplicationContext context = Contexts.startAlone("none")) {
      assertFalse(context.containsBean(LockService.class));
    }
  }

  @Test
  void aServiceOfTheApplicationIsTheOnlyOneAndStaysOpen() {
    try (LockService own = LockService.open("memory:LockServiceTest-own")) {
      try (ApplicationContext context = Contexts.start(own, "none", URI)) {
        assertSame(own, context.getBean(LockService.class));
      }
      assertTrue(own.getLock("a").tryLock());
      own.getLock("a").unlock();
    }
  }

  @Test
  void listenersAreToldAndABuilderCanBeChanged() {
    try (ApplicationContext context = Contexts.startAlone("changed", URI)) {
      LockService locks = context.getBean(LockService.class);
      locks.getLock("a").run(() -> {});
      Listener listener = context.getBean(Listener.class);
      long start = System.nanoTime();
      while (listener.acquired.get() == 0) {
        assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(30), "not told");
        LockSupport.parkNanos(200_000);
      }
    }
  }

  @Test
  void theClosingContextWaitsForHolds() throws Exception {
    ApplicationContext context = Contexts.startAlone("none", URI);
    LockService locks = context.getBean(LockService.class);
    Lease lease = locks.getLock("b").tryAcquire(Duration.ZERO).orElseThrow();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
    assertThrows(
        LockServiceClosedException.class,
        () -> {
          while (true) {
            Optional<Lease> other = locks.getLock("c").tryAcquire(Duration.ZERO);
            other.ifPresent(Lease::close);
          }
        });
    assertTrue(lease.isValid());
    assertFalse(closed.isDone());
    lease.close();
    closed.get(15, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mortise.lease-time=30 | mortise.lease-time is \"30\" | no time",
        "mortise.lease-time=1ms | mortise.lease-time is \"1ms\" | shorter than PT0.1S",
        "mortise.hand-off-limit=many | mortise.hand-off-limit is \"many\" | no whole number",
        "mortise.interrupt-on-loss=perhaps | mortise.interrupt-on-loss is \"perhaps\" | true and false",
        "mortise.command-timeout=29s | mortise.command-timeout PT29S | a third of mortise.lease-time PT30S",
        "mortise.max-hold=1s | mortise.max-hold PT1S | shorter than mortise.lease-time PT30S",
        "mortise.retain=16s | mortise.retain PT16S | half of mortise.lease-time PT30S; a lock that is retained",
        "mortise.with-lock.wait-for=soon | mortise.with-lock.wait-for is \"soon\" | no time",
        "mortise.close-timeout=-1s | mortise.close-timeout is \"-1s\" | no time",
        "mortise.backend=none | none | memory",
        "mortise.uri= | mortise.uri | address",
        "mortise.uri=nonsense | mortise.uri | address",
      })
  void aWrongPropertyStopsTheStart(String property, String problem, String more) {
    Contexts.refuses(() -> Contexts.startAlone("fine", URI, property).close(), problem, more);
  }
}
