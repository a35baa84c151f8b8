package io.mortise.spi;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Runs scripts in one store and delivers its messages. Thread-safe. It never blocks inside {@code
 * synchronized}, so virtual threads may call it. {@link Object#toString} shows the endpoint and
 * never a secret.
 */
public interface LockBackend extends AutoCloseable {
  /**
   * Runs the script on the caller's thread. It ignores the thread's interrupt flag and leaves it as
   * it was. One interrupt is heeded: that of a call whose {@link ScriptCall#patience} is
   * interruptible, while it waits for a connection. It returns or throws within the call's timeout,
   * which includes the wait for a pooled connection.
   *
   * @param call the script to run, with its keys and arguments
   * @return the script's reply: {@link Long}, {@link String} or nested {@link List} elements; a
   *     reply that is an integer is a list with that one element
   * @throws BackendException the call failed; its outcome says what may have happened in the store
   * @throws IllegalStateException {@link TimeSource#checkMayPark} refuses the calling thread
   */
  List<Object> execute(ScriptCall call);

  /**
   * Runs the script without blocking the caller. The future fails with a {@link BackendException}.
   * It may complete on an I/O thread, so code that depends on it must only pass the result to
   * another thread there. Cancelling the future means that no reply is wanted. The call may run all
   * the same.
   *
   * @param call the script to run, with its keys and arguments
   * @return the reply, as {@link #execute} gives it
   */
  CompletableFuture<List<Object>> executeAsync(ScriptCall call);

  /**
   * Runs many scripts. Each succeeds or fails by itself, in no particular order. The default
   * implementation sends one after the other. A backend whose client can pipeline overrides it.
   *
   * @param calls the scripts to run
   * @return one future per call, in the order of the calls
   */
  default List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    return calls.stream().map(this::executeAsync).toList();
  }

  /**
   * Subscribes to a channel and keeps the subscription through reconnects. Returns at once.
   *
   * @param channel the channel's full name
   * @param listener called by one thread at a time: when the server has confirmed, for every
   *     message, and for every gap
   * @return the subscription; closing it ends it
   */
  Subscription subscribe(String channel, ChannelListener listener);

  /**
   * Subscribes to a channel on the node that has the channel's hash slot, and follows the slot to
   * its next node. Only a script of that node reaches it, by {@code SPUBLISH}. If the store does
   * not {@link BackendInfo#shardsChannels shard channels}, this is {@link #subscribe}, as it is by
   * default, and {@code PUBLISH} reaches it.
   *
   * @param channel the channel's full name
   * @param listener as for {@link #subscribe}
   * @return the subscription; closing it ends it
   */
  default Subscription subscribeSharded(String channel, ChannelListener listener) {
    return subscribe(channel, listener);
  }

  /**
   * The facts about the store that were read when this backend was opened.
   *
   * @return the same value every time
   */
  BackendInfo info();

  /**
   * The time by which users of this backend wait, renew and compute deadlines.
   *
   * @return system time, unless the store has its own clock
   */
  default TimeSource time() {
    return TimeSource.system();
  }

  /**
   * Ends calls in flight with outcome UNKNOWN. It closes what this backend opened itself, and never
   * a client that the application gave it. Later calls fail with outcome NOT_EXECUTED. Idempotent.
   */
  @Override
  void close();
}
