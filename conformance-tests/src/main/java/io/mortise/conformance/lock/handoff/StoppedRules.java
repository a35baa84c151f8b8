package io.mortise.conformance.lock.handoff;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.StoppingBackend;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A hand-off to a thread that was woken and does not run. Another process does not wait for that
 * thread. Leases and permits lie for ten milliseconds at most in any case, so their tests need a
 * time that a test moves: they are in the module {@code api}.
 */
@Rule("L12")
public abstract class StoppedRules extends LockRules {
  private final FaultyBackend link = new FaultyBackend(this::backend);
  private final StoppingBackend stopping = new StoppingBackend(link);

  protected StoppedRules(LockKit kit) {
    super(kit);
  }

  private LockService stoppable() {
    return service(closing(stopping), builder -> builder);
  }

  /** The thread is woken for what the action gives back, and stops. */
  private void stops(Contender waiting, Runnable givesBack) {
    stopping.stopAtWake(waiting.thread());
    givesBack.run();
    stopping.awaitStopped();
  }

  private void assertAnotherEnters(DistributedLock theirs) {
    Contender other = entering(theirs);
    passTimeUntil("another process has the lock", SECOND, other::isInside);
    other.leave(theirs::unlock);
  }

  private void goesOn(Contender waiting, Runnable leaving) {
    stopping.letGo();
    assertTrue(waiting.result());
    waiting.leave(leaving);
  }

  @Test
  void aHoldGoesToAnotherProcessThoughTheWokenThreadDoesNotRun() {
    LockService service = stoppable();
    LockService other = service();
    for (boolean fenced : List.of(false, true)) {
      DistributedLock mine = fenced ? service.getFencedLock(name) : service.getLock(name);
      mine.lock();
      Contender waiting = entering(mine);
      stops(waiting, mine::unlock);

      assertAnotherEnters(fenced ? other.getFencedLock(name) : other.getLock(name));

      goesOn(waiting, mine::unlock);
    }
  }

  @Test
  void aWriterOfAnotherProcessEntersThoughAWokenReaderDoesNotRun() {
    DistributedReadWriteLock mine = stoppable().getReadWriteLock(name);
    HeldCall acquire = link.hold("rw-acquire");
    Contender first = Contender.startBusy(() -> locked(mine.readLock()));
    acquire.awaitSent();
    Contender waiting = entering(mine.readLock());
    stops(waiting, acquire::pass);
    assertTrue(first.result());
    first.leave(mine.readLock()::unlock);

    assertAnotherEnters(service().getReadWriteLock(name).writeLock());

    goesOn(waiting, mine.readLock()::unlock);
  }

  private static boolean locked(DistributedLock side) {
    side.lock();
    return true;
  }
}
