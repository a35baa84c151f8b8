package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedCountDownLatch;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AclUsers;
import io.mortise.conformance.lock.fixture.Costs;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.conformance.support.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The cost of a latch, counted by the server, the permissions that it needs, and many processes.
 */
public abstract class LatchCommandRules extends LatchFixture {
  private final RedisKit kit;
  private final Costs costs;

  protected LatchCommandRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
    costs = new Costs(kit);
  }

  @Test
  @Rule("L19")
  void aStepIsOneCommandAndSoIsPassing(Figures figures) {
    DistributedCountDownLatch known = patient().getCountDownLatch(name + "-known");
    known.trySetCount(1);
    known.countDown(); // the server knows the scripts now
    Await.value(known.awaitAsync());
    DistributedCountDownLatch latch = patient().getCountDownLatch(name);
    costs.assertOneScript(figures, "latch set", 12, () -> latch.trySetCount(2));
    for (String part : List.of("count", "alive")) { // as if time had passed
      runOn(key(part), "return {redis.call('PEXPIRE', KEYS[1], 60000)}");
    }
    costs.assertOneScript(figures, "latch counted down", 12, latch::countDown);
    latch.countDown();
    costs.assertOneScript(figures, "open latch passed", 2, () -> Await.value(latch.awaitAsync()));
  }

  @Test
  @Rule({"D1", "L19"})
  void openingNotifiesEachWaiterOnceAndEachAsksOnce(Figures figures) {
    DistributedCountDownLatch mine = latch();
    DistributedCountDownLatch theirs = latch();
    mine.trySetCount(1);
    List<CompletableFuture<Void>> waiters = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      waiters.add(waiting(theirs, i));
    }
    costs.reset();

    mine.countDown();

    waiters.forEach(Await::value);
    Map<String, Long> counts = costs.counts();
    figures.add("5 pass a latch", counts.get("evalsha") + " commands, 5 messages");
    assertEquals(5L, counts.get("publish"));
    // One step, five confirmations, and re-checks that happen to fall here.
    assertTrue(counts.getOrDefault("evalsha", 0L) <= 11, counts.toString());
  }

  @Test
  @Rule("L18")
  void theDocumentedPermissionsAreEnough() {
    try (LockService service = AclUsers.documented(kit, name)) {
      DistributedCountDownLatch latch = service.getCountDownLatch(name);
      CompletableFuture<Void> quitter = waiting(latch, 1);
      assertTrue(quitter.cancel(false));
      awaitWaiting(0);
      CompletableFuture<Void> waiter = waiting(latch, 1);
      assertTrue(latch.trySetCount(1));
      assertEquals(1, latch.getCount());
      latch.countDown();
      Await.value(waiter);
    }
  }

  @Test
  @Rule({"D1", "D3", "L10"})
  void threeProcessesWaitForOneLatchAndAKilledOneKeepsNobody() {
    DistributedCountDownLatch mine = latch();
    assertTrue(mine.trySetCount(2));
    RemoteLock killed = SyncProcess.start(kit, name, "1500");
    try (RemoteLock other = SyncProcess.start(kit, name, "1500")) {
      killed.tell("await");
      other.tell("await");
      CompletableFuture<Void> here = waiting(mine, 3);
      killed.close();
      mine.countDown();
      assertFalse(other.hasAnswered() || here.isDone());
      mine.countDown();
      assertEquals("await", other.answer());
      Await.value(here);
      assertEquals("await", other.ask("await"));
      assertEquals("IllegalStateException", other.ask("countDown"));
    }
    awaitWaiting(0);
  }
}
