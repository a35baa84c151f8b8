package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Deadlock;
import io.mortise.DeadlockException;
import io.mortise.DistributedLock;
import io.mortise.LockListener;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A listener that runs on the thread that brings messages. */
@Tag("L30")
class DeadlockBreakTest extends GateFixture {
  private final Blocking listener;

  DeadlockBreakTest() {
    super(breaking(), new Blocking());
    listener = (Blocking) listeners.get(0);
  }

  private static ServiceOptions breaking() {
    Duration timeout = Duration.ofSeconds(2);
    return new ServiceOptions(
        LEASE,
        null,
        timeout,
        "mortise:",
        ServiceOptions.NO_LIMIT,
        Duration.ZERO,
        false,
        true,
        false,
        null,
        QueueTimes.standard(timeout));
  }

  /** Blocks until the wait has ended. */
  private static final class Blocking implements LockListener {
    final CompletableFuture<Future<Boolean>> wait = new CompletableFuture<>();
    final CompletableFuture<Throwable> end = new CompletableFuture<>();

    @Override
    public void deadlocked(Deadlock deadlock) {
      try {
        boolean got = wait.join().get(15, TimeUnit.SECONDS);
        end.complete(new AssertionError("it got the lock: " + got));
      } catch (ExecutionException e) {
        end.complete(e.getCause());
      } catch (InterruptedException | TimeoutException e) {
        end.complete(e);
      }
    }
  }

  @Test
  void theWaitIsBrokenBeforeListenersAreTold() {
    DistributedLock other = Handles.of(engine, LockKeys.of("mortise:", "other"));
    String first = holds(a).id();
    Future<Boolean> locking = b.runs(other::lock);
    String second = store.next("acquire").held().id();
    assertTrue(GateThread.get(locking));
    Future<Boolean> old = parked(a, a.runs(other::lock));
    time.advance(Duration.ofSeconds(1));
    listener.wait.complete(waits(b));

    time.advance(Duration.ofSeconds(3));
    while (!listener.end.isDone()) {
      AskedCommand probe = store.next("probe").released();
      String to = probe.key().equals(keys.lock()) ? first : second;
      engine.mailbox().onMessage(probe.words() + '|' + to + '|' + probe.key());
    }

    assertInstanceOf(DeadlockException.class, listener.end.join());
    Future<Boolean> unlocking = b.runs(other::unlock);
    store.next("leave").released();
    assertTrue(GateThread.get(unlocking));
    store.next("acquire").held();
    assertTrue(GateThread.get(old));
  }
}
