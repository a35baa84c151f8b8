package io.mortise.internal.lock;

import io.mortise.BackendUnavailableException;
import io.mortise.ForeignKeyException;
import io.mortise.internal.engine.ConditionWaiter;
import io.mortise.internal.engine.Hold;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.Names;
import io.mortise.spi.BackendException;
import io.mortise.spi.ScriptCall;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A condition that all processes share. Its queue is in the store. Thread-safe. */
final class SharedCondition extends LockCondition {
  private static final Logger log = LoggerFactory.getLogger(SharedCondition.class);

  private final String name;
  private final List<String> keys;

  SharedCondition(LockHandle lock, String name) {
    super(lock);
    this.name = name;
    keys = lock.keys().condition(engine().store().options().keyPrefix(), name);
  }

  private ScriptCall step(String id, String step) {
    return engine().store().scripts().condition(keys, id, step);
  }

  private String ask(String id, String step) {
    List<Object> reply = lock().stored().ask(step(id, step), what(step));
    String answer = (String) reply.get(0);
    if (answer.equals("TOLD")) {
      engine().store().complainOfMail(AcquireReply.textAt(reply, 2));
    }
    return answer;
  }

  private String what(String step) {
    return "condition '%s' of lock '%s' (step %s)"
        .formatted(Names.shown(name), Names.shown(lock().name()), step);
  }

  @Override
  void join(ConditionWaiter waiter) {
    try {
      String unused = ask(waiter.id(), "join");
    } catch (BackendUnavailableException | ForeignKeyException e) {
      throw e; // it has not joined
    } catch (RuntimeException | Error e) {
      engine().withdrawals().send(lock().keys(), step(waiter.id(), "withdraw"));
      throw e;
    }
  }

  @Override
  long untilCheck() {
    return engine().store().options().times().recheck().toNanos();
  }

  /** If the store does not answer, the next check asks again. */
  @Override
  void check(ConditionWaiter waiter) {
    try {
      List<Object> reply = engine().store().backend().execute(step(waiter.id(), "check"));
      if (reply.get(0).equals("SIGNALLED")) {
        waiter.setSignalled();
      }
    } catch (BackendException e) {
      log.debug("{}: not known whether {} was signalled", this, waiter.id(), e);
    }
  }

  /**
   * If the store does not answer, this counts as a signal, because a wake-up without a reason is
   * allowed.
   */
  @Override
  boolean leave(ConditionWaiter waiter) {
    if (waiter.isSignalled()) {
      return false;
    }
    try {
      return engine().store().backend().execute(step(waiter.id(), "leave")).get(0).equals("LEFT");
    } catch (BackendException e) {
      log.debug("{}: not known whether {} was signalled", this, waiter.id(), e);
      abandon(waiter);
      return false;
    }
  }

  @Override
  void abandon(ConditionWaiter waiter) {
    engine().withdrawals().send(lock().keys(), step(waiter.id(), "abandon"));
  }

  @Override
  void signal(Hold hold, boolean all) {
    if (ask(hold.acquisition().id(), all ? "all" : "signal").equals("NOT_HELD")) {
      throw lock().notHeld(hold);
    }
  }

  @Override
  public String toString() {
    return "Condition[%s of lock %s, shared]"
        .formatted(Names.shown(name), Names.shown(lock().name()));
  }
}
