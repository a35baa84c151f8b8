package io.mortise.spring.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's leader election on locks of Mortise, on a real server. */
class LeaderElectionTest {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  private static final long QUICK = 100;

  /** So slow that no test sees a heartbeat. */
  private static final long SLOW = 60_000;

  private final List<Candidacy> candidacies = new ArrayList<>();

  /** A process that wants to lead. */
  private final class Candidacy {
    final LockService locks;
    final AtomicInteger granted = new AtomicInteger();
    final AtomicInteger revoked = new AtomicInteger();
    final LockRegistryLeaderInitiator initiator;

    Candidacy(LockService.Builder builder, long heartBeatMillis) {
      locks = builder.open();
      initiator =
          new LockRegistryLeaderInitiator(new MortiseLockRegistry(locks), new Counting(this));
      initiator.setHeartBeatMillis(heartBeatMillis);
      initiator.setBusyWaitMillis(QUICK);
      candidacies.add(this);
      initiator.start();
    }

    boolean leads() {
      return initiator.getContext().isLeader();
    }

    void awaitLead() {
      Await.until("it leads", this::leads);
    }
  }

  private static final class Counting extends DefaultCandidate {
    private final Candidacy candidacy;

    Counting(Candidacy candidacy) {
      super("candidate", "reports");
      this.candidacy = candidacy;
    }

    @Override
    public void onGranted(Context context) {
      candidacy.granted.incrementAndGet();
    }

    @Override
    public void onRevoked(Context context) {
      candidacy.revoked.incrementAndGet();
    }
  }

  @AfterEach
  void close() {
    candidacies.forEach(each -> each.initiator.stop());
    candidacies.forEach(each -> each.locks.close());
    REDIS.server().command("FLUSHALL");
  }

  private static LockService.Builder onRedis() {
    return LockService.builder().uri(REDIS.server().uri().toString());
  }

  private Candidacy quick() {
    return new Candidacy(onRedis(), QUICK);
  }

  private void forceUnlock() {
    try (LockService operator = LockService.open(REDIS.server().uri().toString())) {
      assertTrue(operator.getLock("reports").forceUnlock());
    }
  }

  @Test
  void oneLeadsAndTheOtherTakesOverWhenItStops() {
    Candidacy first = quick();
    first.awaitLead();
    Candidacy second = quick();
    Await.until("the second waits", () -> second.locks.waits().size() == 1);
    assertFalse(second.leads());
    assertTrue(first.leads());

    first.initiator.stop();
    second.awaitLead();
    Await.until("the first was told", () -> first.revoked.get() == 1);
    assertEquals(1, first.granted.get());
    assertEquals(0, second.revoked.get());
  }

  @Test
  void aLeaderThatYieldsIsFollowedByTheOther() {
    Candidacy first = quick();
    first.awaitLead();
    Candidacy second = quick();
    Await.until("the second waits", () -> second.locks.waits().size() == 1);

    first.initiator.setBusyWaitMillis(SLOW); // it does not come back at once
    first.initiator.getContext().yield();

    second.awaitLead();
    assertFalse(first.leads());
    Await.until("the first was told", () -> first.revoked.get() == 1);
  }

  @Test
  void aLeaderLeadsForMuchLongerThanItsLease() {
    InMemoryStore store = InMemoryStore.withMovableTime();
    Candidacy first = new Candidacy(LockService.builder().backend(store.backend()), QUICK);
    first.awaitLead();
    for (int i = 0; i < 30; i++) {
      store.advance(Duration.ofSeconds(10)); // a third of the lease
    }
    try (LockService other = LockService.of(store.backend())) {
      assertFalse(other.getLock("reports").tryLock());
    }
    assertTrue(first.leads());
    assertEquals(1, first.granted.get());
  }

  @Test
  void whenTheLeadersProcessHasNoLocksAnyMoreTheOtherLeadsAfterTheLease() {
    Candidacy first = new Candidacy(onRedis().leaseTime(Duration.ofSeconds(2)), QUICK);
    first.awaitLead();
    Candidacy second = quick();
    first.locks.close(); // its hold is not given back, and ends with the lease

    second.awaitLead();
    Await.until("the first was told", () -> !first.leads() && first.revoked.get() > 0);
  }

  @Test
  void aLeaderThatHasLostItsLockLearnsOfItAtItsNextHeartbeatAlsoIfNobodyElseLeads() {
    Candidacy only = quick();
    only.awaitLead();

    forceUnlock();

    Await.until("it was revoked", () -> only.revoked.get() == 1);
    Await.until("it leads again, and was told so", () -> only.granted.get() == 2 && only.leads());
  }

  @Test
  void aLeaderThatIsInterruptedAtALossDoesNotWaitForItsHeartbeat() {
    Candidacy first = new Candidacy(onRedis().interruptOnLoss(true), SLOW);
    first.awaitLead();
    Await.until("it sleeps", () -> first.locks.holds().stream().anyMatch(h -> h.levels() == 1));
    Candidacy second = new Candidacy(onRedis().interruptOnLoss(true), SLOW);
    Await.until("the second waits", () -> second.locks.waits().size() == 1);
    first.initiator.setBusyWaitMillis(SLOW);

    forceUnlock();

    second.awaitLead();
    Await.until("the first was told", () -> first.revoked.get() == 1);
    assertFalse(first.leads());
  }
}
