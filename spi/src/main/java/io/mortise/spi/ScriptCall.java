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
 */
public record ScriptCall(
    Script script,
    List<String> keys,
    List<String> args,
    Duration timeout,
    @Nullable ReplicaAcks acks,
    boolean wantsEpoch) {

  /**
   * A call that waits for no replicas.
   *
   * @param script the script
   * @param keys the keys that the script touches
   * @param args the other arguments
   * @param timeout the time within which the call returns
   */
  public ScriptCall(Script script, List<String> keys, List<String> args, Duration timeout) {
    this(script, keys, args, timeout, null, false);
  }

  /**
   * This call with less or more time.
   *
   * @param other the time within which the call returns
   * @return a call that is the same otherwise
   */
  public ScriptCall withTimeout(Duration other) {
    return new ScriptCall(script, keys, args, other, acks, wantsEpoch);
  }

  /**
   * This call with a wait for replicas.
   *
   * @param wanted the replicas to wait for, or null
   * @return a call that is the same otherwise
   */
  public ScriptCall withAcks(@Nullable ReplicaAcks wanted) {
    return new ScriptCall(script, keys, args, timeout, wanted, wantsEpoch);
  }

  /**
   * This call as one whose script can use the number of a failover.
   *
   * @return a call that is the same otherwise
   */
  public ScriptCall withEpoch() {
    return new ScriptCall(script, keys, args, timeout, acks, true);
  }
}
