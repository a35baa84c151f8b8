package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.Registration;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What the two listeners of a lock hear. */
public abstract class LeaseChangeRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(9);

  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected LeaseChangeRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule("L9")
  void oneListenerHearsEveryChangeAndTheOtherLossesAlone() {
    DistributedLock mine = service(link, builder -> builder.leaseTime(LEASE)).getLock(name);
    List<LeaseState> changes = new CopyOnWriteArrayList<>();
    List<LeaseState> losses = new CopyOnWriteArrayList<>();
    Registration all = mine.onLeaseChange(change -> changes.add(change.state()));
    Registration lost = mine.onLeaseLost(change -> losses.add(change.state()));
    mine.lock();

    link.set(Link.DOWN);
    // The state itself: listeners run on another thread, and time may pass before that one runs.
    passTimeUntil("a renewal fails", LEASE, () -> mine.leaseState() == LeaseState.SUSPECT);
    link.set(Link.UP);
    passTimeUntil("a renewal succeeds", LEASE, () -> mine.leaseState() == LeaseState.HELD);
    Await.until("both are reported", () -> changes.contains(LeaseState.HELD));
    lock().forceUnlock();
    Await.until("the loss is reported", () -> changes.contains(LeaseState.LOST));
    Await.until("to both", () -> !losses.isEmpty());

    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.HELD, LeaseState.LOST), changes);
    assertEquals(List.of(LeaseState.LOST), losses);
    assertThrows(LeaseLostException.class, mine::unlock);
    all.close();
    lost.close();
  }
}
