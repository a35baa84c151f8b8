package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
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
 * The cost of a semaphore, counted by the server, the permissions that it needs, and its crashes.
 */
public abstract class PermitCommandRules extends SyncFixture {
  private static final String NO_TOMBSTONES =
      """
      local left = {}
      for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
        if string.sub(member, 1, 1) ~= '!' then
          table.insert(left, member)
        end
      end
      return left\
      """;

  private static final int HAND_OVERS = 20;

  private final RedisKit kit;
  private final Costs costs;

  protected PermitCommandRules(RedisKit kit) {
    super(kit, "sem");
    this.kit = kit;
    costs = new Costs(kit);
  }

  @Test
  @Rule("L19")
  void permitsCostACommandToTakeAndACommandToGiveBackHoweverMany(Figures figures) {
    DistributedSemaphore semaphore = semaphore(9);
    // The server knows the scripts now, and the longer lease below must raise an expiry.
    take(semaphore.withLease(SECOND), 1).close();
    Map<String, Long> taken =
        Map.of("exists", 1L, "zscore", 2L, "pttl", 1L, "time", 1L, "zadd", 1L, "pexpire", 1L);
    List<Lease> leases = new ArrayList<>();
    costs.assertOneScript(figures, "permits", taken, () -> leases.add(take(semaphore, 5)));
    costs.assertOneScript(
        figures,
        "permits released",
        Map.of("zrem", 1L, "zscore", 1L, "zadd", 1L, "exists", 1L),
        () -> leases.get(0).close());
    leases.add(take(semaphore, 5));
    leases.get(1).release(1);
    costs.assertOneScript(figures, "a part of permits", 10, () -> leases.get(1).release(1));
    costs.assertOneScript(
        figures,
        "permits released after a part of them",
        Map.of("zrem", 2L, "zscore", 1L, "zadd", 1L, "exists", 1L),
        () -> leases.get(1).close());
  }

  @Test
  @Rule({"L19", "W9"})
  void aReleaseNotifiesEachGrantedWaiterOnceAndEachConfirmsOnce(Figures figures) {
    DistributedSemaphore mine = semaphore(5);
    DistributedSemaphore theirs = semaphore();
    Lease five = take(mine, 5);
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      waiters.add(waiting(theirs, 1, i));
    }
    costs.reset();

    five.close();

    waiters.forEach(Await::value);
    Map<String, Long> counts = costs.counts();
    figures.add("5 grants of a semaphore", counts.get("evalsha") + " commands, 5 messages");
    assertEquals(5L, counts.get("publish"));
    // One release, five confirmations, and re-checks that happen to fall here.
    assertTrue(counts.getOrDefault("evalsha", 0L) <= 11, counts.toString());
    waiters.forEach(waiter -> waiter.join().close());
  }

  @Test
  @Rule({"L19", "Q5"})
  void withinAProcessTheReplyToAReleaseGrantsToTheNext(Figures figures) {
    DistributedSemaphore mine = semaphore(1);
    Lease inside = take(mine, 1);
    long commands = 0;
    for (int i = 0; i < HAND_OVERS; i++) {
      CompletableFuture<Lease> next = waiting(mine, 1, 1);
      costs.reset();
      inside.close();
      inside = Await.value(next);
      commands += costs.count("evalsha");
      assertEquals(0, costs.count("publish"));
    }
    inside.close();
    String figure = commands + " commands for " + HAND_OVERS;
    figures.add("grants of a semaphore in one service", figure);
    // One each, and one more for a waiter that is granted before it knows that it is in the queue.
    assertTrue(commands < HAND_OVERS * 3 / 2, figure);
  }

  @Test
  @Rule("L18")
  void theDocumentedPermissionsAreEnough() {
    try (LockService service = AclUsers.documented(kit, name)) {
      DistributedSemaphore semaphore = service.getSemaphore(name);
      assertTrue(semaphore.trySetPermits(2));
      Lease two = take(semaphore, 2);
      CompletableFuture<Lease> waiter = waiting(semaphore, 1, 1);
      two.close();
      Lease one = Await.value(waiter);
      assertTrue(one.extend(SECOND));
      semaphore.resize(3);
      Lease parts = take(semaphore, 2);
      parts.release(1);
      parts.close();
      Lease rest = semaphore.drain().orElseThrow();
      assertFalse(semaphore.tryAcquire().isPresent());
      rest.close();
      one.close();
      awaitFree(semaphore, 3);
    }
  }

  @Test
  @Rule("L15")
  void nothingIsLeftInTheStoreButTheSemaphore() {
    DistributedSemaphore semaphore = semaphore(2);
    Lease two = take(semaphore, 2);
    CompletableFuture<Lease> waiter = waiting(semaphore, 2, 1);
    CompletableFuture<Lease> quitter = waiting(semaphore, 1, 2);
    quitter.cancel(false);
    awaitWaiting(1);
    two.close();
    Await.value(waiter).close();
    awaitFree(semaphore, 2);
    // A cancellation before the quitter knew its place in the queue leaves a tombstone for some
    // time.
    assertEquals(List.of(), runOn(key("alive"), NO_TOMBSTONES));
    List<String> left =
        kit.server().keys().stream()
            .filter(key -> key.contains(name + '}') && !key.equals(key("alive")))
            .toList();
    assertEquals(List.of(key("permits")), left);
  }

  @Test
  @Rule({"S2", "S4", "L7", "L10"})
  void aKilledProcessGivesItsPermitsBackByItsLeaseAndItsPlaceAtTheNextGrant() {
    DistributedSemaphore mine = semaphore(3);
    Lease one = take(mine, 1);
    CompletableFuture<Lease> next;
    try (RemoteLock remote = SyncProcess.start(kit, name, "1500")) {
      assertEquals("acquire 2", remote.ask("acquire 2"));
      remote.tell("acquire 3");
      awaitWaiting(1);
      next = waiting(mine, 2, 2);
    }
    Await.until("the permits of the killed process are free", () -> mine.availablePermits() == 2);
    assertFalse(next.isDone(), "the request is behind one for more permits");

    one.close(); // grants to no waiter of that process: its mailbox is gone

    Await.value(next).close();
    awaitFree(mine, 3);
  }
}
