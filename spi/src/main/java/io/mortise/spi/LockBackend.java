package io.mortise.spi;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Runs scripts in one store and delivers its messages. Thread-safe; it never blocks inside {@code
 * synchronized}, so virtual threads may call it. {@link Object#toString} shows the endpoint and
 * never a secret.
 */
public interface LockBackend extends AutoCloseable {
  /**
   * Runs the script on the caller's thread. Ignores the thread's interrupt flag and leaves it as it
   * was; returns or throws within the call's timeout, the wait for a pooled connection included.
   *
   * @param call what to run
   * @return the script's array: {@link Long}, {@link String} or nested {@link List} elements
   * @throws BackendException the call failed; its outcome says what may have happened in the store
   */
  List<Object> execute(ScriptCall call);

  /**
   * Runs the script without blocking the caller. The future fails with a {@link BackendException}.
   * It may complete on an I/O thread: whoever depends on it does no more there than hand over.
   * Cancelling it says that no reply is wanted, not that the call did not run.
   *
   * @param call what to run
   * @return the reply, as {@link #execute} gives it
   */
  CompletableFuture<List<Object>> executeAsync(ScriptCall call);

  /**
   * Runs many scripts. Each succeeds or fails by itself, in no particular order. The default sends
   * one after the other; a client that can pipeline overrides it.
   *
   * @param calls what to run
   * @return one future per call, in the order of the calls
   */
  default List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    return calls.stream().map(this::executeAsync).toList();
  }

  /**
   * Subscribes to a channel and keeps the subscription through reconnects. Returns at once.
   *
   * @param channel the channel's full name
   * @param listener told when the server has confirmed, of every message, and of every gap; by one
   *     thread at a time
   * @return ends the subscription
   */
  Subscription subscribe(String channel, ChannelListener listener);

  /**
   * Facts about the store, read when this backend was opened.
   *
   * @return the same value every time
   */
  BackendInfo info();

  /**
   * The time that waits, renewals and deadlines of this backend's users follow.
   *
   * @return system time, unless the store has a clock of its own
   */
  default TimeSource time() {
    return TimeSource.system();
  }

  /**
   * Ends calls in flight with outcome UNKNOWN and closes what this backend opened itself, never a
   * client that was handed to it. Idempotent; later calls fail with outcome NOT_EXECUTED.
   */
  @Override
  void close();
}
