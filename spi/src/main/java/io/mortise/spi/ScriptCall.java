package io.mortise.spi;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of a script.
 *
 * @param script the script; sent by {@code EVALSHA}, and again by {@code EVAL} if the server does
 *     not know it
 * @param keys the keys that the script touches
 * @param args the other arguments
 * @param timeout the time within which the call returns, including the waits for a connection and
 *     for replicas
 * @param acks the replicas to wait for, or null. With it, the reply has one element more, the last:
 *     the number of replicas (a {@code Long}) that have what the script wrote, which may be smaller
 *     than what was asked for
 * @param wantsEpoch whether the script can use the number of the failover that made a master of the
 *     server that runs it. A backend that learns these numbers adds it behind the other arguments.
 *     Any other backend adds nothing
 * @param patience how long {@link LockBackend#execute} may wait for a connection, or null for the
 *     whole timeout
 */
public record ScriptCall(
    Script script,
    List<String> keys,
    List<String> args,
    Duration timeout,
    @Nullable ReplicaAcks acks,
    boolean wantsEpoch,
    @Nullable Patience patience) {

  /**
   * A limit of the wait for a connection. A call that was not sent by then, or at the interrupt,
   * fails as {@code NOT_EXECUTED}. A call that was sent is waited for, as any other.
   *
   * @param longest the longest wait
   * @param interruptible whether an interrupt ends the wait; the thread stays interrupted
   */
  public record Patience(Duration longest, boolean interruptible) {}

  /**
   * A call that waits for no replicas.
   *
   * @param script the script
   * @param keys the keys that the script touches
   * @param args the other arguments
   * @param timeout the time within which the call returns
   */
  public ScriptCall(Script script, List<String> keys, List<String> args, Duration timeout) {
    this(script, keys, args, timeout, null, false, null);
  }

  /**
   * This call with less or more time.
   *
   * @param other the time within which the call returns
   * @return a call that is the same otherwise
   */
  public ScriptCall withTimeout(Duration other) {
    return new ScriptCall(script, keys, args, other, acks, wantsEpoch, patience);
  }

  /**
   * This call with a wait for replicas.
   *
   * @param wanted the replicas to wait for, or null
   * @return a call that is the same otherwise
   */
  public ScriptCall withAcks(@Nullable ReplicaAcks wanted) {
    return new ScriptCall(script, keys, args, timeout, wanted, wantsEpoch, patience);
  }

  /**
   * This call as one whose script can use the number of a failover.
   *
   * @return a call that is the same otherwise
   */
  public ScriptCall withEpoch() {
    return new ScriptCall(script, keys, args, timeout, acks, true, patience);
  }

  /**
   * This call with a limit of its wait for a connection.
   *
   * @param limit the limit
   * @return a call that is the same otherwise
   */
  public ScriptCall withPatience(Patience limit) {
    return new ScriptCall(script, keys, args, timeout, acks, wantsEpoch, limit);
  }
}
