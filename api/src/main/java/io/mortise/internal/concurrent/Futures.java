package io.mortise.internal.concurrent;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for futures, with whatever time source the waiting thread follows. Also combines them. */
public final class Futures {
  private static final Logger log = LoggerFactory.getLogger(Futures.class);
  private static final long LONG = Long.MAX_VALUE / 4;

  private Futures() {}

  /**
   * Waits until the future is complete. An interrupt completes it with an {@link
   * InterruptedException}. If it is complete by then, its value is returned and the interrupt flag
   * stays set.
   */
  public static <T> T await(CompletableFuture<T> future, TimeSource time)
      throws InterruptedException {
    return await(future, time, () -> {});
  }

  /**
   * As {@link #await(CompletableFuture, TimeSource)}.
   *
   * @param look runs before each sleep of the thread; it may complete the future
   */
  public static <T> T await(CompletableFuture<T> future, TimeSource time, Runnable look)
      throws InterruptedException {
    wakeWhenDone(future, time);
    while (looksInVain(future, look)) {
      time.parkNanos(future, LONG);
      if (Thread.interrupted()) {
        InterruptedException interrupt = new InterruptedException();
        if (future.completeExceptionally(interrupt)) {
          throw interrupt;
        }
        Thread.currentThread().interrupt();
      }
    }
    return value(future);
  }

  /**
   * Waits until the future is complete. An interrupt does not end the wait; its flag is set again.
   */
  public static <T> T join(CompletableFuture<T> future, TimeSource time) {
    return join(future, time, () -> {});
  }

  /**
   * As {@link #join(CompletableFuture, TimeSource)}.
   *
   * @param look runs before each sleep of the thread; it may complete the future
   */
  public static <T> T join(CompletableFuture<T> future, TimeSource time, Runnable look) {
    wakeWhenDone(future, time);
    boolean interrupted = false;
    while (looksInVain(future, look)) {
      time.parkNanos(future, LONG);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return value(future);
  }

  /**
   * Waits as {@link CompletableFuture#get(long, TimeUnit)} does, by the system's clock. In a
   * fork/join pool that method would also ask for another thread, and run other tasks meanwhile.
   */
  public static <T> T get(CompletableFuture<T> future, Duration longest)
      throws InterruptedException, ExecutionException, TimeoutException {
    CountDownLatch done = new CountDownLatch(1);
    CompletableFuture<?> unused = future.whenComplete((value, failure) -> done.countDown());
    if (!done.await(longest.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new TimeoutException("not within " + longest);
    }
    return future.get(0, TimeUnit.NANOSECONDS);
  }

  /**
   * Waits until the future is complete or the time (ns) is over. An interrupt does not end the
   * wait; its flag is set again.
   */
  public static void settle(CompletableFuture<?> future, TimeSource time, long longest) {
    wakeWhenDone(future, time);
    long end = time.nanoTime() + longest;
    boolean interrupted = false;
    for (long left = longest; !future.isDone() && left > 0; left = end - time.nanoTime()) {
      time.parkNanos(future, left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A wake-up may have come before, while the thread slept elsewhere: so it looks first. */
  private static boolean looksInVain(CompletableFuture<?> future, Runnable look) {
    if (!future.isDone()) {
      look.run();
    }
    return !future.isDone();
  }

  /** The same future, but completed on the executor. */
  public static <T> CompletableFuture<T> on(Executor executor, CompletableFuture<T> inside) {
    CompletableFuture<T> outside = new CompletableFuture<>();
    CompletableFuture<T> unused =
        inside.whenComplete(
            (value, failure) -> executor.execute(() -> complete(outside, value, cause(failure))));
    return outside;
  }

  /** Completes a future with the value, or with the failure if there is one. */
  public static <T extends @Nullable Object> void complete(
      CompletableFuture<T> future, T value, @Nullable Throwable failure) {
    if (failure == null) {
      future.complete(value);
    } else {
      future.completeExceptionally(failure);
    }
  }

  /** The failure of a future, without what a stage behind it has put around it. */
  public static @Nullable Throwable cause(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }

  /**
   * Hands a reply to its handler. What the handler throws is logged, since no thread waits for it.
   */
  public static void whenReplied(
      CompletableFuture<List<Object>> reply,
      BiConsumer<@Nullable List<Object>, @Nullable Throwable> handler) {
    CompletableFuture<@Nullable Void> unused =
        reply.handle((value, failure) -> {
          try {
            Trampoline.step(() -> handler.accept(value, failure));
          } catch (Throwable e) { // an Error too: it would be seen by nobody
            log.error("a reply could not be handled", e);
          }
          return null;
        });
  }

  /** A future that completes, never exceptionally, when all of these are complete. */
  public static CompletableFuture<Void> settled(Collection<? extends CompletableFuture<?>> all) {
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .handle((done, failure) -> null);
  }

  /** The failures of those that have failed. */
  public static List<Throwable> failures(Collection<? extends CompletableFuture<?>> all) {
    return all.stream().map(Futures::failure).filter(Objects::nonNull).toList();
  }

  /** Its failure; null if it has a value, or is not done. */
  public static @Nullable Throwable failure(CompletableFuture<?> future) {
    if (!future.isCompletedExceptionally()) {
      return null;
    }
    try {
      Object unused = future.join();
      return null;
    } catch (CompletionException | CancellationException e) {
      return cause(e);
    }
  }

  private static void wakeWhenDone(CompletableFuture<?> future, TimeSource time) {
    Thread thread = Thread.currentThread();
    CompletableFuture<?> unused = future.whenComplete((value, failure) -> time.unpark(thread));
  }

  private static <T> T value(CompletableFuture<T> done) {
    try {
      return done.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error known) {
        throw known;
      }
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }
}
