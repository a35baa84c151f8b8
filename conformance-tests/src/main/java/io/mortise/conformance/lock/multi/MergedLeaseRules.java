package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The lease of a multi-lock as one object, bound to no thread. */
public abstract class MergedLeaseRules extends MultiFixture {
  protected MergedLeaseRules(LockKit kit) {
    super(kit);
  }

  private static void awaitFree(Two two) {
    Await.until("both are free", () -> !two.isAnyLocked());
  }

  @Test
  @Rule({"L8", "L9"})
  void theMergedLeaseEndsWithTheFirstAndIsExtendedAsAWhole() throws InterruptedException {
    Two mine = two();
    MultiLock both = MultiLock.of(mine.a().withLease(SECOND), mine.b().withLease(LONG));
    Lease lease = both.acquire();
    assertTrue(lease.remaining().compareTo(SECOND) <= 0);
    assertTrue(lease.fencingToken().isEmpty());
    assertTrue(lease.extend(Duration.ofMinutes(1)));
    assertTrue(lease.extendAsync(SECOND).join());
    assertTrue(lease.remaining().compareTo(Duration.ofSeconds(50)) > 0);
    assertTrue(mine.a().remainTimeToLive() > 50_000 && mine.b().remainTimeToLive() > 50_000);
    lease.close();
    lease.close();
    assertEquals(LeaseState.RELEASED, lease.state());
    assertThrows(IllegalStateException.class, () -> lease.extend(SECOND));
    assertFalse(mine.isAnyLocked());
  }

  @Test
  @Rule({"L8", "L14"})
  void itIsNotExtendedUnlessAllMembersAre() throws InterruptedException {
    FaultyBackend link = new FaultyBackend(this::backend);
    DistributedLock b = service(link, builder -> builder).getLock(nameB());
    Lease lease = MultiLock.of(lock(), b).acquire();
    link.set("renew", Link.DOWN, 1);
    assertThrows(BackendUnavailableException.class, () -> lease.extend(LONG));
    assertTrue(lease.isValid());
    assertTrue(lease.extend(LONG));
    lease.close();
  }

  @Test
  @Rule({"L3", "L9"})
  void closingWithALostMemberSaysSoAndReleasesTheOthers() throws InterruptedException {
    Two mine = two();
    Lease lease = mine.both().acquire();
    runOn("mortise:lock:{" + name + "}", "return {redis.call('DEL', KEYS[1])}");
    LeaseLostException e = assertThrows(LeaseLostException.class, lease::close);
    assertTrue(String.valueOf(e.getMessage()).contains(name), e.getMessage());
    assertEquals(1, e.getSuppressed().length);
    assertFalse(mine.isAnyLocked());
  }

  @Test
  @Rule("L9")
  void theLossOfOneMemberIsTheLossOfAllAndIsReportedOnce() throws InterruptedException {
    Two mine = two();
    Lease lease = mine.both().acquire();
    AtomicInteger told = new AtomicInteger();
    Lease unused = lease.onLost(event -> told.incrementAndGet());
    assertTrue(mine.b().forceUnlock());
    Await.until("the loss is reported", () -> told.get() == 1);
    assertEquals(LeaseState.LOST, lease.state());
    assertFalse(lease.extend(LONG));
    awaitFree(mine);
    assertThrows(LeaseLostException.class, lease::close);
    assertEquals(1, told.get());
  }

  @Test
  @Rule("L9")
  void listenersOfTheMultiLockHearOfTheFirstLossOfEachLease() throws InterruptedException {
    Two mine = two();
    MultiLock both = mine.both();
    List<LeaseChange> merged = new CopyOnWriteArrayList<>();
    List<LeaseChange> single = new CopyOnWriteArrayList<>();
    both.onLeaseLost(merged::add);
    mine.a().onLeaseLost(single::add);
    mine.b().onLeaseLost(single::add);
    for (int leases = 1; leases <= 3; leases++) {
      Lease lease =
          switch (leases) {
            case 1 -> both.acquire();
            case 2 -> Await.value(both.async().acquire());
            default -> both.tryAcquire(Duration.ZERO).orElseThrow();
          };
      runOn("mortise:lock:{" + name + "}", "return {redis.call('DEL', KEYS[1])}");
      runOn("mortise:lock:{" + nameB() + "}", "return {redis.call('DEL', KEYS[1])}");

      assertThrows(LeaseLostException.class, lease::close);

      int losses = 2 * leases;
      Await.until("both losses are reported", () -> single.size() == losses);
      assertEquals(leases, merged.size());
    }
  }
}
