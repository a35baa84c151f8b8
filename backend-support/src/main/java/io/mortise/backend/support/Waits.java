package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.ScriptCall.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * All waits of a backend for a future. The future's own {@code get} and {@code join} do more than
 * wait in a thread of a fork/join pool. They ask the pool for another thread, and throw if it may
 * have none. They also run other tasks of the pool meanwhile, and such a task would use the holds
 * of the thread that waits. Thread-safe.
 */
public final class Waits {
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 4);

  private Waits() {}

  /**
   * Waits for a call that has no timer of its own. Interrupts do not end the wait. At the deadline
   * this method completes the call with a {@link TimeoutException}; the call must translate it.
   *
   * @param call its failures are all {@link BackendException}s
   * @param time the time until the deadline
   * @return the reply
   * @throws BackendException the call's failure
   */
  public static List<Object> await(CompletableFuture<List<Object>> call, Duration time) {
    if (!awaitEnd(call, time)) {
      call.completeExceptionally(new TimeoutException());
    }
    return await(call);
  }

  /**
   * Waits for a future. Interrupts do not end the wait.
   *
   * @param future any future
   * @param time the longest wait
   * @return whether the future has ended
   */
  public static boolean awaitEnd(CompletableFuture<?> future, Duration time) {
    long deadline = System.nanoTime() + time.toNanos();
    boolean interrupted = false;
    boolean ended = future.isDone();
    for (long left = time.toNanos(); left > 0 && !ended; left = deadline - System.nanoTime()) {
      try {
        ended = awaitInterruptibly(future, Duration.ofNanos(left));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return future.isDone();
  }

  /** As {@link #awaitEnd}, but an interrupt ends the wait. */
  static boolean awaitInterruptibly(CompletableFuture<?> future, Duration time)
      throws InterruptedException {
    long deadline = System.nanoTime() + time.toNanos();
    Thread thread = Thread.currentThread();
    CompletableFuture<?> unused =
        future.whenComplete((value, failure) -> LockSupport.unpark(thread));
    for (long left = time.toNanos();
        left > 0 && !future.isDone();
        left = deadline - System.nanoTime()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(future, left);
    }
    return future.isDone();
  }

  /**
   * Waits for a future no longer than a caller has patience. An interrupt ends the wait if the
   * patience says so, and the thread stays interrupted.
   *
   * @param future any future
   * @param patience the limit of the wait
   * @param giveUp receives the reason if the wait ends before the future
   */
  public static void awaitPatiently(
      CompletableFuture<?> future, Patience patience, Consumer<String> giveUp) {
    try {
      boolean ended =
          patience.interruptible()
              ? awaitInterruptibly(future, patience.longest())
              : awaitEnd(future, patience.longest());
      if (!ended) {
        giveUp.accept("no connection was ready in time");
      }
    } catch (InterruptedException e) {
      giveUp.accept("its thread was interrupted");
      Thread.currentThread().interrupt();
    }
  }

  /**
   * A patience that is no longer than the time of its call.
   *
   * @param timeout of the call
   * @param patience of the caller
   * @return the same, or a shorter one
   */
  public static Patience within(Duration timeout, Patience patience) {
    return patience.longest().compareTo(timeout) < 0
        ? patience
        : new Patience(timeout, patience.interruptible());
  }

  /**
   * Waits for the node of a call, no longer than the caller has time and patience. When they end
   * before the opening of the node, this fails the future.
   *
   * @param node the node, as a future of this call alone unless it is done
   * @param call its time and its patience begin now
   */
  public static void awaitNode(CompletableFuture<?> node, ScriptCall call) {
    long deadline = System.nanoTime() + call.timeout().toNanos();
    Patience patience = call.patience();
    if (patience != null && !node.isDone()) {
      awaitPatiently(
          node,
          within(call.timeout(), patience),
          why -> node.completeExceptionally(new IOException(why)));
    }
    if (!awaitEnd(node, Duration.ofNanos(deadline - System.nanoTime()))) {
      node.completeExceptionally(new TimeoutException());
    }
  }

  /**
   * Waits for a future, as {@link #awaitEnd} does, and returns what its {@code join} does.
   *
   * @param future ends in time by itself
   * @param <T> the type of its value
   * @return its value
   */
  public static <T> T join(CompletableFuture<T> future) {
    boolean unused = awaitEnd(future, FOREVER);
    return future.join();
  }

  /**
   * Waits for a call. Interrupts do not end the wait.
   *
   * @param call ends in time by itself; its failures are all {@link BackendException}s
   * @return the reply
   * @throws BackendException the call's failure
   */
  public static List<Object> await(CompletableFuture<List<Object>> call) {
    try {
      return join(call);
    } catch (CompletionException e) {
      throw (BackendException) Objects.requireNonNull(e.getCause());
    }
  }
}
