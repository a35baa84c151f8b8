package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ReplicaAcks;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.ScriptCall.Patience;
import io.mortise.spi.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A call, as the future of its reply, for backends that write to sockets on their own threads. It
 * decides what a failure means. A call that ends before it was sent is {@code NOT_EXECUTED} and is
 * never sent later (B1, B2). A call that fails after it was sent is {@code UNKNOWN}. Thread-safe.
 */
public class PendingCall extends CompletableFuture<List<Object>> {
  private static final AtomicReferenceFieldUpdater<PendingCall, @Nullable Outcome> FATE =
      AtomicReferenceFieldUpdater.newUpdater(PendingCall.class, Outcome.class, "fate");

  /** The texts of small key counts: few scripts have more keys. */
  private static final List<String> NUMBERS =
      IntStream.range(0, 10).mapToObj(String::valueOf).toList();

  /** The reply of most scripts: done. */
  private static final List<Object> ONE = List.of(1L);

  private static final long NANOS_A_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final ScriptCall call;
  private final String endpoint;
  private final long deadline;

  /** The meaning of a failure. The first of two events decides it: the sending, or the failure. */
  @SuppressWarnings("UnusedVariable") // read and written through FATE
  private volatile @Nullable Outcome fate;

  /** Whether the script goes as text. Only the sending thread uses it. */
  private boolean byText;

  /** Whether a timer ends the call. Only the thread that has the call uses it. */
  private boolean limited;

  /**
   * Creates the call, whose time begins now.
   *
   * @param call the script call to run
   * @param endpoint the server, for messages
   */
  public PendingCall(ScriptCall call, String endpoint) {
    this(call, endpoint, false);
  }

  /**
   * Creates the call, whose time begins now.
   *
   * @param call the script call to run
   * @param endpoint the server, for messages
   * @param byText whether the script goes as text at once
   */
  protected PendingCall(ScriptCall call, String endpoint, boolean byText) {
    this.call = call;
    this.byText = byText;
    this.endpoint = endpoint;
    deadline = System.nanoTime() + call.timeout().toNanos();
  }

  /**
   * The time until the deadline, as a socket's timeout.
   *
   * @return milliseconds, rounded up; at least one, because a socket takes zero as no limit
   */
  public final int millisLeft() {
    long millis = -Math.floorDiv(System.nanoTime() - deadline, NANOS_A_MILLI);
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, millis));
  }

  /**
   * The time until a call that waits for a connection gives up, as a socket's timeout.
   *
   * @return milliseconds, as {@link #millisLeft()}, and fewer if the caller has less patience
   */
  public final int millisToSend() {
    Patience patience = call.patience();
    long spent = System.nanoTime() - deadline + call.timeout().toNanos();
    return patience == null
        ? millisLeft()
        : (int)
            Math.max(
                1,
                Math.min(millisLeft(), (patience.longest().toNanos() - spent) / NANOS_A_MILLI + 1));
  }

  /**
   * The time until the last call of a batch that waits for a connection gives up.
   *
   * @param calls the batch
   * @return milliseconds, at least one
   */
  public static int millisToSend(List<? extends PendingCall> calls) {
    int most = 1;
    for (int i = 0; i < calls.size(); i++) { // without an iterator, as in giveAll
      PendingCall call = calls.get(i);
      most = call.isDone() ? most : Math.max(most, call.millisToSend());
    }
    return most;
  }

  /**
   * The time until the last deadline of a batch.
   *
   * @param calls the batch
   * @return milliseconds; zero if all calls have ended
   */
  public static int millisLeft(List<? extends PendingCall> calls) {
    int most = 0;
    for (int i = 0; i < calls.size(); i++) {
      PendingCall call = calls.get(i);
      most = call.isDone() ? most : Math.max(most, call.millisLeft());
    }
    return most;
  }

  /**
   * What is left of a call whose time began before.
   *
   * @param call the call
   * @param deadline the end of its time, as a value of {@link System#nanoTime}
   * @return the call with the time and the patience that are left
   */
  public static ScriptCall rest(ScriptCall call, long deadline) {
    Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
    Patience patience = call.patience();
    if (patience == null) {
      return call.withTimeout(left);
    }
    Duration longest = patience.longest().minus(call.timeout().minus(left));
    return call.withTimeout(left)
        .withPatience(
            new Patience(longest.isNegative() ? Duration.ZERO : longest, patience.interruptible()));
  }

  /** Makes the call fail at its deadline, as {@link #limit(List)} does. */
  public final void limit() {
    limit(List.of(this));
  }

  /**
   * Makes each call fail at its deadline, whatever its progress. A second time does nothing. Only
   * one thread at a time calls this: the thread that has the calls at that moment.
   *
   * <p>Neighbours with deadlines less than a millisecond apart share one timer. A timer for each of
   * ten thousand calls would cost more than the calls.
   *
   * @param calls a batch
   */
  public static void limit(List<? extends PendingCall> calls) {
    List<PendingCall> together = new ArrayList<>();
    for (PendingCall call : calls) {
      if (!call.limited) {
        if (!together.isEmpty() && !call.endsWith(together.get(0))) {
          endInTime(together);
          together = new ArrayList<>();
        }
        call.limited = true;
        together.add(call);
      }
    }
    if (!together.isEmpty()) {
      endInTime(together);
    }
  }

  private boolean endsWith(PendingCall other) {
    return Math.abs(deadline - other.deadline) < NANOS_A_MILLI;
  }

  private static void endInTime(List<PendingCall> calls) {
    Runnable end =
        () -> {
          TimeoutException late = new TimeoutException();
          calls.forEach(call -> call.fail(late));
        };
    Duration left = Duration.ofMillis(millisLeft(calls));
    TimeSource.Timer timer = TimeSource.system().schedule(end, left);
    CompletableFuture<?> unused =
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
            .whenComplete((replies, failure) -> timer.close());
  }

  /**
   * Marks the call as sent. The sender calls this directly before it writes to a socket.
   *
   * @return whether the call may be written; false if it has ended or was already sent
   */
  public final boolean sending() {
    return !isDone() && FATE.compareAndSet(this, null, Outcome.UNKNOWN);
  }

  /**
   * The words to send: {@code EVALSHA} with the script's digest at first, {@code EVAL} with its
   * text after {@link #again}.
   *
   * @return the command and its arguments
   */
  public final List<String> words() {
    List<String> words = new ArrayList<>();
    words.add(isByText() ? "EVAL" : "EVALSHA");
    arguments(words, List::add);
    return words;
  }

  /**
   * Whether the script goes as text.
   *
   * @return true for {@code EVAL}, false for {@code EVALSHA}
   */
  public final boolean isByText() {
    return byText;
  }

  /**
   * The replicas to wait for.
   *
   * @return null if the call waits for none
   */
  public final @Nullable ReplicaAcks acks() {
    return call.acks();
  }

  /**
   * The call's time from its beginning to its deadline.
   *
   * @return the timeout of the script call
   */
  public final Duration timeout() {
    return call.timeout();
  }

  /**
   * Adds the arguments, without the command, to a command.
   *
   * @param <T> the type of the command
   * @param command is given to each addition
   * @param addition receives one argument after the other
   */
  public final <T> void arguments(T command, BiConsumer<? super T, String> addition) {
    arguments(call, byText, command, addition);
  }

  /**
   * Adds the arguments of {@code EVAL} or {@code EVALSHA}, without the command, to a command.
   *
   * @param <T> the type of the command
   * @param call the script call to run
   * @param byText true for {@code EVAL}, false for {@code EVALSHA}
   * @param command is given to each addition
   * @param addition receives one argument after the other
   */
  public static <T> void arguments(
      ScriptCall call, boolean byText, T command, BiConsumer<? super T, String> addition) {
    addition.accept(command, byText ? call.script().source() : call.script().sha1());
    int keys = call.keys().size();
    addition.accept(command, keys < NUMBERS.size() ? NUMBERS.get(keys) : String.valueOf(keys));
    addAll(call.keys(), command, addition);
    addAll(call.args(), command, addition);
  }

  /** Without an iterator, because every call comes here. */
  private static <T> void addAll(
      List<String> words, T command, BiConsumer<? super T, String> addition) {
    for (int i = 0; i < words.size(); i++) {
      addition.accept(command, words.get(i));
    }
  }

  /**
   * Decides whether a server error means to send the call again, this time as text.
   *
   * @param error the server's message
   * @return true if the server did not know the script, so that nothing ran (B7)
   */
  public final boolean again(@Nullable String error) {
    boolean again = !byText && error != null && ServerError.of(error) == ServerError.UNKNOWN_SCRIPT;
    if (again) {
      byText = true;
      FATE.set(this, null);
    }
    return again;
  }

  /**
   * Completes the call with the server's reply.
   *
   * @param reply an array, or an integer, which stands for an array with that one element (B8)
   */
  public final void answer(Object reply) {
    complete(list(reply));
  }

  /**
   * The reply of a script as a list, with the number of replicas behind it (B24).
   *
   * @param reply an array, or an integer, which stands for an array with that one element (B8)
   * @param replicas how many replicas have what the script wrote
   * @return a new list
   */
  public static List<Object> counted(Object reply, Long replicas) {
    List<Object> counted = new ArrayList<>(list(reply));
    counted.add(replicas);
    return counted;
  }

  @SuppressWarnings("unchecked") // a script replies with nothing else
  private static List<Object> list(Object reply) {
    return ONE.get(0).equals(reply)
        ? ONE
        : reply instanceof Long ? List.of(reply) : (List<Object>) reply;
  }

  /**
   * Fails the call with the server's error, whose meaning {@link ServerError} knows.
   *
   * @param error carries the server's message
   */
  public final void refuse(Throwable error) {
    completeExceptionally(ServerError.failure(String.valueOf(error.getMessage()), error));
  }

  /**
   * Fails the call because no reply came, or none will come.
   *
   * @param cause the reason
   */
  public final void fail(Throwable cause) {
    Outcome before = FATE.getAndUpdate(this, now -> now == null ? Outcome.NOT_EXECUTED : now);
    boolean sent = before == Outcome.UNKNOWN;
    completeExceptionally(failure(call, endpoint, sent, sent ? cause : whyUnsent(cause)));
  }

  /**
   * The reason for which a call was not sent, if the backend knows it better.
   *
   * @param reason the reason as it is known here
   * @return the same, if not overridden
   */
  protected Throwable whyUnsent(Throwable reason) {
    return reason;
  }

  /**
   * The reason of a call that was not sent because the application has closed its own client.
   *
   * @return a reason from which a lock tells the next step
   */
  public static IllegalStateException clientClosed() {
    return new IllegalStateException("the client is closed");
  }

  /**
   * Waits on the caller's thread until the call has ended, and for a connection no longer than the
   * caller has patience. At the deadline the call fails, also if nobody else ends it: the thread
   * that should may be dead. So such a call needs no {@link #limit}.
   *
   * @return the reply
   * @throws BackendException the call's failure
   */
  public final List<Object> awaitReply() {
    awaitTurn(this);
    if (!isDone()) {
      fail(new TimeoutException());
    }
    return Waits.await(this);
  }

  /**
   * Waits for a connection, no longer than the caller has patience. At the end of its patience the
   * call fails, unless it has been sent. Then this waits on, up to the call's deadline.
   *
   * @param turn ends when the wait is over
   */
  final void awaitTurn(CompletableFuture<?> turn) {
    Patience patience = call.patience();
    if (patience != null && !turn.isDone()) {
      Patience left = new Patience(Duration.ofMillis(millisToSend()), patience.interruptible());
      Waits.awaitPatiently(turn, left, this::giveUp);
    }
    if (!isDone()) {
      Waits.awaitEnd(turn, Duration.ofMillis(millisLeft()));
    }
  }

  /** Fails the call, unless it has been sent. */
  private void giveUp(String why) {
    if (FATE.compareAndSet(this, null, Outcome.NOT_EXECUTED)) {
      completeExceptionally(failure(call, endpoint, false, whyUnsent(new IOException(why))));
    }
  }

  /**
   * The exception of a call without a reply. It is the cause itself, if that is a {@link
   * BackendException} whose outcome can be true of this call. Otherwise its outcome is {@code
   * UNKNOWN} if the call may have been sent, and {@code NOT_EXECUTED} if not.
   *
   * @param call the script call
   * @param endpoint the server
   * @param sent whether the call was sent, or may have been
   * @param cause why there is no reply; a {@link TimeoutException} is reported as the call's
   *     timeout
   * @return the exception
   */
  public static BackendException failure(
      ScriptCall call, String endpoint, boolean sent, Throwable cause) {
    if (cause instanceof BackendException late && late.getCause() instanceof TimeoutException) {
      boolean was = late.outcome() == Outcome.UNKNOWN; // a part of the call, with the time left
      return failure(call, endpoint, sent || was, late.getCause());
    }
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
}
