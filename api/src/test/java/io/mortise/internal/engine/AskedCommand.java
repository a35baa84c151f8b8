package io.mortise.internal.engine;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/** A command that the engine has sent to the stub. The test answers it. */
final class AskedCommand {
  private final ScriptCall call;
  private final CompletableFuture<List<Object>> reply = new CompletableFuture<>();

  AskedCommand(ScriptCall call) {
    this.call = call;
  }

  String script() {
    return call.script().name();
  }

  /** The acquisition id; for a renewal, that of its first lock. */
  String id() {
    return call.args().get(script().equals("renew") ? 1 : 0);
  }

  /** The key of its lock. */
  String key() {
    return call.keys().get(0);
  }

  /** The words of a probe. */
  String words() {
    return call.args().get(1);
  }

  /** Whether a leave also keeps its id from acquiring later. */
  boolean leavesTombstone() {
    return call.args().size() > 2;
  }

  CompletableFuture<List<Object>> reply() {
    return reply;
  }

  List<Object> await() {
    try {
      return reply.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof BackendException failure ? failure : e;
    } finally {
      LockSupport.parkNanos(1); // consumes the wake-up of an answer that came before the wait
    }
  }

  private AskedCommand answer(Object... elements) {
    reply.complete(List.of(elements));
    return this;
  }

  /** Whether it joins the queue if the lock is held. */
  boolean joins() {
    return call.args().get(1).startsWith("join ");
  }

  /** It holds the lock, and is alone: nobody held it, waited for it or was remembered. */
  AskedCommand held() {
    return answer(1L);
  }

  /** It holds the lock, and others have held it or waited for it. */
  AskedCommand heldAfterOthers() {
    return answer(2L);
  }

  /** The lock of this number is not free, so none was acquired. */
  AskedCommand refusedBy(long number) {
    return answer("BUSY", number);
  }

  /** Another client holds the lock. */
  AskedCommand busy() {
    return answer("BUSY", 30_000L, "other:1:1:k");
  }

  /** Another client holds the lock, and may give it back soon. */
  AskedCommand recalled() {
    return answer("BUSY", 30_000L, "other:1:1:i", 1L);
  }

  /** Another client holds the lock for 30 s, and the id is in the queue. */
  AskedCommand queued() {
    return answer("WAIT", 30_000L, 1L, 1L);
  }

  AskedCommand tooLate() {
    return answer("TOO_LATE");
  }

  AskedCommand released() {
    return answer(1L);
  }

  /** A part of the permits is back, and nobody is granted any. */
  AskedCommand partReturned() {
    return answer("RELEASED");
  }

  /** A release that grants the lock to another id of the same service. */
  AskedCommand releasedTo(String id) {
    return answer("RELEASED", "", id);
  }

  AskedCommand absent() {
    return answer("ABSENT");
  }

  AskedCommand renewed() {
    return answer(1L);
  }

  AskedCommand notRenewed() {
    return answer(0L);
  }

  /** Leaves the outcome of the command unknown for good. */
  AskedCommand lost() {
    reply.completeExceptionally(new BackendException(Outcome.UNKNOWN, "no answer", null));
    return this;
  }

  @Override
  public String toString() {
    return script() + call.args() + (reply.isDone() ? ", answered" : ", unanswered");
  }
}
