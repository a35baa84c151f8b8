package io.mortise.backend.lettuce;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.mortise.spi.ReplicaAcks;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Redis' WAIT behind calls: how many replicas have all that its connection wrote. */
final class Wait extends LinkedCommand<Long> {
  private final long millis;
  private volatile long writtenAt;

  private Wait(int replicas, long millis) {
    super(
        new Command<>(
            CommandType.WAIT,
            new IntegerOutput<>(StringCodec.UTF8),
            new CommandArgs<>(StringCodec.UTF8).add(replicas).add(millis)));
    this.millis = millis;
  }

  /**
   * Is written once. After a reconnect, the new connection has written nothing, so its WAIT would
   * count replicas that have nothing.
   */
  @Override
  public void encode(ByteBuf buffer) {
    if (isFirstWrite(buffer)) {
      writtenAt = System.nanoTime();
      super.encode(buffer);
    }
  }

  /** Whether the server may still wait for replicas, and so says nothing. */
  boolean isOut() {
    long passed = System.nanoTime() - writtenAt;
    return isWritten() && !isDone() && passed < TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** One WAIT for calls that are sent together, each with acks. */
  static Wait behind(List<Call> calls) {
    int replicas = 0;
    long millis = 0;
    for (Call call : calls) {
      ReplicaAcks acks = call.acks();
      replicas = Math.max(replicas, acks.replicas());
      millis = Math.max(millis, acks.timeout().toMillis());
    }
    Wait wait = new Wait(replicas, millis);
    calls.forEach(call -> call.waitsFor(wait));
    return wait;
  }
}
