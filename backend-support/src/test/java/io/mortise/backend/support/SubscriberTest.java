package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.mortise.spi.ChannelListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The reader of messages while its thread cannot be made. */
class SubscriberTest {
  private static final class Deaf implements ChannelListener {
    @Override
    public void onSubscribed() {}

    @Override
    public void onInterrupted(Throwable cause) {}

    @Override
    public void onMessage(String message) {}
  }

  private static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      boolean late = System.nanoTime() - start > Duration.ofSeconds(20).toNanos();
      assertFalse(late, () -> "timed out waiting until " + what);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  @DisplayName("B10: messages are read later if no thread for that can be made at first")
  void withoutAReader() throws Exception {
    AtomicInteger connected = new AtomicInteger();
    Subscriber subscriber =
        new Subscriber(
            "test",
            () -> {
              connected.incrementAndGet();
              throw new IllegalStateException("no server");
            },
            () -> {},
            Duration.ofMillis(20));
    try (BrokenPool broken = new BrokenPool(subscriber, "reader")) {
      subscriber.subscribe("c", new Deaf());
      await("the writer has tried", () -> broken.waiting() == 1);
      assertEquals(0, connected.get());
    }
    await(
        "it connects while the backend is in use",
        () -> {
          subscriber.use();
          return connected.get() > 0;
        });
    Threads.end(subscriber.close());
  }
}
