package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A wait that times out or is interrupted when the hold is already there. */
@Tag("L4")
@Tag("L5")
class GateLateEndTest extends GateFixture {
  @Test
  void aTimedTryThatSeesTheHoldHasItThoughItsTimeIsOver() {
    holds(a);
    Future<Boolean> waiting = parked(b, b.does(() -> lock.tryLock(Duration.ofSeconds(1))));
    passOn(a, b);

    time.pause(Duration.ofSeconds(2));
    time.letGo(b.thread());

    assertTrue(GateThread.get(waiting));
  }

  @Test
  void anInterruptedThreadThatSeesTheHoldHasItAndKeepsItsInterrupt() {
    holds(a);
    Future<Boolean> waiting =
        parked(
            b,
            b.does(() -> {
              lock.lockInterruptibly();
              return Thread.interrupted();
            }));
    passOn(a, b);

    b.thread().interrupt();
    time.letGo(b.thread());

    assertTrue(GateThread.get(waiting), "the interrupt is kept");
    assertTrue(b.says(lock::isHeldByCurrentThread));
  }

  @Test
  void anUninterruptibleThreadGetsTheHoldAndItsInterruptBack() {
    holds(a);
    Future<Boolean> waiting =
        parked(
            b,
            b.does(() -> {
              lock.lock();
              return Thread.interrupted();
            }));
    time.stopAtWake(b.thread());
    b.thread().interrupt();
    time.awaitWoken(b.thread());
    unlock(a);
    time.letGo(b.thread());

    assertTrue(GateThread.get(waiting), "the interrupt flag is restored");
    store.assertNothingAsked();
  }

  @Test
  void anInterruptBetweenTakeoverAndReturnLeavesTheLockHeldAndTheFlagSet() {
    holds(a);
    Future<Boolean> waiting =
        parked(
            b,
            b.does(() -> {
              boolean held = lock.tryLock(LONG); // it reads the time before it returns
              return held && Thread.interrupted();
            }));
    time.atRead(() -> {
      Hold hold = engine.gates().holdOf(keys);
      if (hold != null && hold.isOf(b.thread())) {
        b.thread().interrupt();
      }
    });

    unlock(a);

    assertTrue(GateThread.get(waiting), "the flag is set");
    time.atRead(() -> {});
    assertEquals(1, b.now(lock::getHoldCount));
    Future<Boolean> unlocking = b.runs(lock::unlock);
    store.next("leave").released();
    assertTrue(GateThread.get(unlocking));
  }
}
