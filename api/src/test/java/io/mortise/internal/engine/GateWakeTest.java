package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockAttempt;
import io.mortise.LockListener;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A wake-up that comes while a thread sleeps elsewhere, just before it waits. */
@Tag("L10")
class GateWakeTest extends GateFixture {
  /** Runs a task on a thread that is told to wait. */
  private static final class Told implements LockListener {
    private volatile Runnable task = () -> {};

    @Override
    public void waiting(LockAttempt attempt) {
      task.run();
    }
  }

  GateWakeTest() {
    super(new Told());
  }

  @Test
  void aMessageThatComesWhileAListenerIsToldIsHeard() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    ((Told) listeners.get(0)).task =
        () -> {
          acquisition(acquire.id()).signal();
          LockSupport.park(); // as a lock that the listener waits for: the wake-up is gone
        };

    acquire.queued();

    assertEquals(acquire.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(locking));
  }
}
