package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A call as the future of its reply, for clients that write to sockets on threads of ours. Knows
 * what a failure means: a call that ended before it was sent is {@code NOT_EXECUTED} and is never
 * sent later (B1, B2), one that fails after it is {@code UNKNOWN}. Thread-safe.
 */
public class PendingCall extends CompletableFuture<List<Object>> {
  private static final AtomicReferenceFieldUpdater<PendingCall, @Nullable Outcome> FATE =
      AtomicReferenceFieldUpdater.newUpdater(PendingCall.class, Outcome.class, "fate");

  /** Few scripts have more keys. */
  private static final List<String> NUMBERS =
      IntStream.range(0, 10).mapToObj(String::valueOf).toList();

  private static final long NANOS_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final ScriptCall call;
  private final String endpoint;
  private final long deadline;

  /** What a failure means: decided by what comes first, the sending or the failure. */
  @SuppressWarnings("UnusedVariable") // read and written through FATE
  private volatile @Nullable Outcome fate;

  /** Of whoever sends. */
  private boolean byText;

  /**
   * The call's time begins.
   *
   * @param call what to run
   * @param endpoint where, for messages
   */
  public PendingCall(ScriptCall call, String endpoint) {
    this.call = call;
    this.endpoint = endpoint;
    deadline = System.nanoTime() + call.timeout().toNanos();
  }

  /**
   * The time until the deadline, for a socket.
   *
   * @return milliseconds, rounded up; at least one, since zero means no limit to a socket
   */
  public final int millisLeft() {
    long millis = -Math.floorDiv(System.nanoTime() - deadline, NANOS_A_MILLI);
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, millis));
  }

  /**
   * The time until the last deadline.
   *
   * @param calls of a batch
   * @return milliseconds; zero if all have ended
   */
  public static int millisLeft(List<? extends PendingCall> calls) {
    int most = 0;
    for (PendingCall call : calls) {
      most = call.isDone() ? most : Math.max(most, call.millisLeft());
    }
    return most;
  }

  /** Lets it fail at its deadline, wherever it is then. */
  public final void limit() {
    TimeoutException late = new TimeoutException();
    Duration left = Duration.ofMillis(millisLeft());
    TimeSource.Timer timer = TimeSource.system().schedule(() -> fail(late), left);
    CompletableFuture<?> unused = whenComplete((reply, failure) -> timer.close());
  }

  /**
   * To be asked right before it is handed to a socket.
   *
   * @return whether it may be; not if it has ended, nor twice
   */
  public final boolean sending() {
    return !isDone() && FATE.compareAndSet(this, null, Outcome.UNKNOWN);
  }

  /**
   * What to send: the script's digest first, and its text after {@link #again}.
   *
   * @return {@code EVALSHA} or {@code EVAL} and their arguments
   */
  public final List<String> words() {
    List<String> words = new ArrayList<>();
    words.add(isByText() ? "EVAL" : "EVALSHA");
    arguments(words::add);
    return words;
  }

  /**
   * Which command it is.
   *
   * @return whether {@code EVAL}
   */
  public final boolean isByText() {
    return byText;
  }

  /**
   * The words without the command.
   *
   * @param each is given one after the other
   */
  public final void arguments(Consumer<String> each) {
    arguments(call, byText, each);
  }

  /**
   * The words of {@code EVAL} or {@code EVALSHA} without the command.
   *
   * @param call what to run
   * @param byText whether {@code EVAL}
   * @param each is given one after the other
   */
  public static void arguments(ScriptCall call, boolean byText, Consumer<String> each) {
    each.accept(byText ? call.script().source() : call.script().sha1());
    int keys = call.keys().size();
    each.accept(keys < NUMBERS.size() ? NUMBERS.get(keys) : String.valueOf(keys));
    call.keys().forEach(each);
    call.args().forEach(each);
  }

  /**
   * Asked about an error of the server.
   *
   * @param error its text
   * @return whether to send again: it did not know the script, so nothing ran (B7)
   */
  public final boolean again(@Nullable String error) {
    boolean again = !byText && error != null && error.startsWith("NOSCRIPT");
    if (again) {
      byText = true;
      FATE.set(this, null);
    }
    return again;
  }

  /**
   * The server has answered.
   *
   * @param reply an array; or an integer, which stands for the array of it alone (B8)
   */
  @SuppressWarnings("unchecked") // What else could a script reply with?
  public final void answer(Object reply) {
    complete(reply instanceof Long ? List.of(reply) : (List<Object>) reply);
  }

  /**
   * The server has answered with an error.
   *
   * @param error its message is the server's
   */
  public final void refuse(Exception error) {
    String message = String.valueOf(error.getMessage());
    completeExceptionally(new BackendException(Outcome.REPLIED, message, error));
  }

  /**
   * There was or will be no answer.
   *
   * @param cause why
   */
  public final void fail(Throwable cause) {
    Outcome before = FATE.getAndUpdate(this, now -> now == null ? Outcome.NOT_EXECUTED : now);
    completeExceptionally(failure(call, endpoint, before == Outcome.UNKNOWN, cause));
  }

  /**
   * What a call that got no answer fails with.
   *
   * @param call what was to run
   * @param endpoint where
   * @param sent whether it was sent, or may have been
   * @param cause why there is no answer; a {@link TimeoutException} is told as the call's timeout
   * @return the cause, if it tells an outcome that can be true of this call; else one whose outcome
   *     is {@code UNKNOWN} if the call may have been sent
   */
  public static BackendException failure(
      ScriptCall call, String endpoint, boolean sent, Throwable cause) {
    if (cause instanceof BackendException known
        && !(sent && known.outcome() == Outcome.NOT_EXECUTED)) {
      return known;
    }
    String why =
        cause instanceof TimeoutException ? "waited for " + call.timeout() : cause.getMessage();
    String what = sent ? " was not answered: " : " was not sent: ";
    Outcome outcome = sent ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED;
    return new BackendException(
        outcome, endpoint + ": " + call.script().name() + what + why, cause);
  }

  /**
   * Waits for a call that nothing else ends in time, whatever interrupts, without a timer. At the
   * deadline the call is completed with a {@link TimeoutException}, which it is to translate.
   *
   * @param call one whose failures are all {@link BackendException}s
   * @param time until the deadline
   * @return its reply
   * @throws BackendException its failure
   */
  public static List<Object> await(CompletableFuture<List<Object>> call, Duration time) {
    if (!awaitEnd(call, time)) {
      call.completeExceptionally(new TimeoutException());
    }
    return await(call);
  }

  /**
   * Waits, whatever interrupts.
   *
   * @param future any
   * @param time how long at most
   * @return whether it has ended
   */
  static boolean awaitEnd(CompletableFuture<?> future, Duration time) {
    long deadline = System.nanoTime() + time.toNanos();
    boolean interrupted = false;
    boolean waits = !future.isDone();
    while (waits) {
      try {
        future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        waits = false;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (TimeoutException | ExecutionException e) {
        waits = false; // what became of it, the caller sees
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return future.isDone();
  }

  /**
   * Waits for a call whose failures are all {@link BackendException}s, whatever interrupts.
   *
   * @param call one that ends in time by itself
   * @return its reply
   * @throws BackendException its failure
   */
  public static List<Object> await(CompletableFuture<List<Object>> call) {
    try {
      return call.join();
    } catch (CompletionException e) {
      throw (BackendException) Objects.requireNonNull(e.getCause());
    }
  }
}
