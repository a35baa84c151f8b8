package io.mortise.conformance.lock.looking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseChange;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockHold.Via;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.Registration;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Which events listeners get, and on which thread. */
@Rule("L20")
public abstract class ListenerRules extends LockRules {
  protected ListenerRules(LockKit kit) {
    super(kit);
  }

  /** Notes the events. What it throws has no effect, so it throws before it notes one. */
  private static final class Notes implements LockListener {
    private final List<String> told = new CopyOnWriteArrayList<>();

    @Override
    public void acquired(LockAttempt attempt, LockHold hold) {
      assertTrue(attempt.waitedNanos() >= 0);
      told.add((hold.via() == Via.HANDED ? "handed " : "acquired ") + attempt.name());
    }

    @Override
    public void released(LockHold hold) {
      assertTrue(hold.heldNanos() >= 0);
      told.add("released " + hold.attempt().name());
    }
  }

  @Test
  void outermostAcquisitionsAndReleasesAreReported() {
    Notes notes = new Notes();
    DistributedLock lock = service(builder -> builder.listener(notes)).getLock(name);

    lock.lock();
    lock.lock();
    lock.unlock();
    assertEquals(List.of("acquired " + name), notes.told);
    lock.unlock();

    assertEquals(List.of("acquired " + name, "released " + name), notes.told);
  }

  @Test
  void aHandOffIsReportedApart() {
    Notes notes = new Notes();
    LockService service = service(builder -> builder.listener(notes));
    DistributedLock lock = service.getLock(name);
    // A hand-off happens within 10 ms of the acquisition or not at all, so this may take some
    // attempts.
    for (int i = 0; i < 50 && !notes.told.contains("handed " + name); i++) {
      DistributedLock other = lock();
      other.lock();
      Contender first = contender(() -> enterAndLeave(lock));
      Contender second = contender(() -> enterAndLeave(lock));
      other.unlock();
      assertTrue(first.result() && second.result());
    }

    assertTrue(notes.told.contains("handed " + name), notes.told.toString());
  }

  private static boolean enterAndLeave(DistributedLock lock) {
    lock.lock();
    lock.unlock();
    return true;
  }

  @Test
  void whatAListenerThrowsHasNoEffect() {
    LockListener broken =
        new LockListener() {
          @Override
          public void acquired(LockAttempt attempt, LockHold hold) {
            throw new AssertionError("on purpose, at acquired");
          }

          @Override
          public void released(LockHold hold) {
            throw new IllegalStateException("on purpose, at released");
          }
        };
    DistributedLock lock = service(builder -> builder.listener(broken)).getLock(name);

    lock.lock();
    assertTrue(lock.isHeldByCurrentThread());
    lock.unlock();

    assertFalse(lock.isLocked());
  }

  @Test
  void aLossIsReportedOnTheGivenExecutor() {
    AtomicReference<LeaseChange> event = new AtomicReference<>();
    List<Runnable> tasks = new CopyOnWriteArrayList<>();
    LockService service = service(builder -> builder.executor(tasks::add));
    DistributedLock lock = service.getLock(name);
    Registration registration = lock.onLeaseChange(event::set);
    lock.lock();
    assertTrue(lock().forceUnlock());

    Await.until("the executor has the event", () -> !tasks.isEmpty());
    assertEquals(null, event.get(), "no other thread ran the listener");
    tasks.forEach(Runnable::run);

    assertEquals(name, event.get().name());
    registration.close();
  }
}
