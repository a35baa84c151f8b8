package io.mortise.conformance.lock.looking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.HoldInfo;
import io.mortise.Kind;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.WaitInfo;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a service shows of its own holds and waits. */
@Rule("L24")
public abstract class HoldsRules extends LockRules {
  protected HoldsRules(LockKit kit) {
    super(kit);
  }

  @Test
  void aThreadsHoldIsShownWithItsLevelsUntilItEnds() {
    LockService service = service();
    DistributedLock lock = service.getFairLock(name);
    lock.lock();
    lock.lock();

    HoldInfo hold = service.holds().get(0);

    assertEquals(1, service.holds().size());
    assertEquals(name, hold.name());
    assertEquals(Kind.FAIR, hold.kind());
    assertTrue(hold.holder().startsWith(service.clientId()), hold.holder());
    assertEquals(Optional.of(Thread.currentThread().getName()), hold.threadName());
    assertEquals(LeaseState.HELD, hold.state());
    assertEquals(2, hold.levels());
    assertEquals(0, hold.waitingHere());
    assertTrue(hold.renewed());
    assertTrue(hold.leaseLeft().compareTo(Duration.ZERO) > 0);
    lock.unlock();
    assertEquals(1, service.holds().get(0).levels());
    lock.unlock();
    assertEquals(List.of(), service.holds());
  }

  @Test
  void aLeaseIsShownWithoutAThread() throws InterruptedException {
    LockService service = service();
    Lease lease = service.getLock(name).withLease(Duration.ofMinutes(1)).acquire();

    HoldInfo hold = service.holds().get(0);

    assertEquals(Kind.PLAIN, hold.kind());
    assertEquals(Optional.empty(), hold.threadName());
    assertEquals(1, hold.levels());
    assertTrue(!hold.renewed(), "its lease is fixed");
    lease.close();
    assertEquals(List.of(), service.holds());
  }

  @Test
  void threadsAndLeasesThatWaitAreCountedAtTheHoldAndListed() {
    LockService service = service();
    DistributedLock lock = service.getLock(name);
    lock.lock();
    Contender first = contender(() -> enterAndLeave(lock));
    Contender second = contender(() -> enterAndLeave(lock));
    Contender leasing =
        contender(() -> {
          lock.acquire().close();
          return true;
        });

    Await.until("all three wait", () -> service.holds().get(0).waitingHere() == 3);
    List<WaitInfo> waits = service.waits();
    assertEquals(3, waits.size());
    assertEquals(2, waits.stream().filter(each -> each.threadName().isPresent()).count());
    assertTrue(waits.stream().allMatch(each -> each.name().equals(name)));
    lock.unlock();

    assertTrue(first.result() && second.result() && leasing.result());
    assertEquals(List.of(), service.waits());
    assertEquals(List.of(), service.holds());
  }

  private static boolean enterAndLeave(DistributedLock lock) {
    lock.lock();
    lock.unlock();
    return true;
  }

  @Test
  void aWaitForAnotherServicesHoldIsListedWithoutAHold() {
    LockService service = service();
    DistributedLock other = lock();
    other.lock();
    Contender waiting = contender(() -> enterAndLeave(service.getLock(name)));

    Await.until("the wait is listed", () -> service.waits().size() == 1);
    assertEquals(Kind.PLAIN, service.waits().get(0).kind());
    assertEquals(List.of(), service.holds());
    other.unlock();

    assertTrue(waiting.result());
    assertEquals(List.of(), service.waits());
  }

  @Test
  @Rule("L17")
  void aClosedServiceShowsNothing() {
    LockService service = service();
    service.getLock(name).lock();

    service.close();

    assertEquals(List.of(), service.holds());
    assertEquals(List.of(), service.waits());
  }
}
