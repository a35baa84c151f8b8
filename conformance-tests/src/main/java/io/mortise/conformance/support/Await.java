package io.mortise.conformance.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits by the wall clock until a condition is true. */
public final class Await {
  private Await() {}

  /** How long to wait for an expected event. A system property raises it on a slow machine. */
  public static Duration patience() {
    return Duration.ofSeconds(Integer.getInteger("mortise.patience", 15));
  }

  /** The value of a future. */
  public static <T> T value(CompletableFuture<T> future) {
    until("the future is complete", future::isDone);
    return future.join();
  }

  /** The failure of a future. */
  public static Throwable failure(CompletableFuture<?> future) {
    until("the future is complete", future::isDone);
    try {
      throw new AssertionError("it did not fail, but completed with " + future.join());
    } catch (CompletionException e) {
      return e.getCause() == null ? e : e.getCause();
    }
  }

  public static void until(String what, BooleanSupplier condition) {
    until(what, patience(), condition);
  }

  public static void until(String what, Duration patience, BooleanSupplier condition) {
    until(() -> what, patience, condition);
  }

  public static void until(Supplier<String> what, Duration patience, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > patience.toNanos()) {
        throw new AssertionError("not within " + patience + ": " + what.get());
      }
      LockSupport.parkNanos(5_000_000);
    }
  }
}
