package io.mortise.conformance.lock.exclusive;

import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.Costs;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.RedisKit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.FencedLock;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** What a lock costs, counted by the server: commands are exact where milliseconds are not. */
public abstract class CommandRules extends LockRules {
  private static final int THREADS = 8;
  private static final int ROUNDS = 100;

  private final RedisKit kit;
  private final Costs costs;

  protected CommandRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
    costs = new Costs(kit);
  }

  private static void pair(Lock lock) {
    lock.lock();
    lock.unlock();
  }

  @Test
  @Rule("L19")
  void anUncontendedLockIsOneCommandOfThreeAndItsUnlockOneOfTwo() {
    DistributedLock lock = lock();
    pair(lock); // the scripts are known from now on
    costs.reset();

    lock.lock();
    assertEquals(Map.of("evalsha", 1L, "exists", 1L, "hset", 1L, "pexpire", 1L), costs.counts());
    costs.reset();

    lock.unlock();
    assertEquals(Map.of("evalsha", 1L, "hdel", 1L, "exists", 1L), costs.counts());
  }

  @Test
  @Rule("L13")
  void anUncontendedFencedLockIsOneCommandOfSix() {
    FencedLock lock = service().getFencedLock(name);
    pair(lock); // the scripts are known from now on
    costs.reset();

    lock.lock();
    Map<String, Long> inside =
        Map.of("exists", 1L, "hset", 1L, "pexpire", 1L, "time", 1L, "get", 1L, "set", 1L);
    Map<String, Long> expected = new TreeMap<>(inside);
    expected.put("evalsha", 1L);
    assertEquals(expected, costs.counts());
    costs.reset();

    lock.unlock();
    assertEquals(Map.of("evalsha", 1L, "hdel", 1L, "exists", 1L), costs.counts());
  }

  @Test
  @Rule({"L2", "L19"})
  void aNestedLockIsNoCommand() {
    DistributedLock lock = lock();
    lock.lock();
    costs.reset();

    for (int i = 0; i < 100; i++) {
      pair(lock);
      assertTrue(lock.tryLock());
      lock.unlock();
    }

    assertEquals(Map.of(), costs.counts());
    lock.unlock();
  }

  @Test
  @Rule({"L12", "L19"})
  void threadsOfOneServicePassTheLockOnWithoutCommands(Figures figures)
      throws InterruptedException {
    DistributedLock lock = lock();
    pairs(lock, 2500); // by compiled code from now on: what a cold JVM needs is its own affair
    costs.reset();
    int rounds = 12_500;

    pairs(lock, rounds);

    double perAcquisition = costs.count("evalsha") / (double) (THREADS * rounds);
    figures.add(
        "commands per acquisition, 8 threads of 1 service", "%.3f".formatted(perAcquisition));
    assertTrue(perAcquisition <= 0.1, "commands per acquisition: " + perAcquisition);
  }

  private static void pairs(DistributedLock lock, int rounds) throws InterruptedException {
    Crew.run(
        THREADS,
        number -> {
          for (int i = 0; i < rounds; i++) {
            pair(lock);
          }
        });
  }

  @Test
  @Rule("L10")
  void aHandOffBetweenServicesIsThreeCommandsAndOneMessage(Figures figures)
      throws InterruptedException {
    long commands = handOffs(figures, List.of(lock(), lock()), "commands of hand-overs");
    assertAllTold();
    // To stand in line, to release and to confirm; and whoever re-checked just then.
    assertTrue(commands <= 7L * ROUNDS, commands + " commands");
  }

  @Test
  @Rule({"L10", "L19"})
  void whoStartsOnTheGrantNeedsTwoCommandsForAHandOff(Figures figures) throws InterruptedException {
    List<DistributedLock> locks =
        List.of(
            service(builder -> builder.startOnGrant(true)).getLock(name),
            service(builder -> builder.startOnGrant(true)).getLock(name));
    long commands = handOffs(figures, locks, "commands of hand-overs, starting on the grant");
    assertAllTold();
    // To stand in line and to release; and whoever re-checked just then, or was told while it
    // asked.
    assertTrue(commands <= 5L * ROUNDS, commands + " commands");
  }

  /** Whether nearly each turn came by a message, and by no more than one. */
  private void assertAllTold() {
    long messages = costs.count("publish");
    assertTrue(messages > ROUNDS && messages < 2 * ROUNDS, messages + " messages");
  }

  /** How many commands it takes that two threads hand a lock over to each other. */
  private long handOffs(Figures figures, List<DistributedLock> locks, String figure)
      throws InterruptedException {
    Crew.run(2, number -> pair(locks.get(number)));
    costs.reset();
    AtomicBoolean oneIsDone = new AtomicBoolean();

    Crew.run(
        2,
        number -> {
          for (int i = 0; i < ROUNDS; i++) {
            locks.get(number).lock();
            Await.until("the other is in line", () -> oneIsDone.get() || isOneInLine());
            locks.get(number).unlock();
          }
          oneIsDone.set(true);
        });

    Map<String, Long> counts = costs.counts();
    long messages = counts.getOrDefault("publish", 0L);
    long commands = counts.getOrDefault("evalsha", 0L);
    figures.add(
        figure,
        "%d for %d acquisitions, %d of them by message".formatted(commands, 2 * ROUNDS, messages));
    assertTrue(counts.getOrDefault("subscribe", 0L) < 3, "only after a lost connection");
    return commands;
  }

  @Test
  @Rule({"L19", "Q5"})
  void insideAServiceAFairLockIsHandedOverByTheReplyToTheRelease(Figures figures)
      throws InterruptedException {
    DistributedLock lock = service().getFairLock(name);
    String figure = "commands of hand-overs of a fair lock inside a service";
    long commands = handOffs(figures, List.of(lock, lock), figure);
    assertEquals(0, costs.counts().getOrDefault("publish", 0L));
    // To stand in line and to release; and whoever re-checked just then.
    assertTrue(commands <= 5L * ROUNDS, commands + " commands");
  }

  private boolean isOneInLine() {
    return kit.server().keys().contains(queue());
  }

  @Test
  @Rule("L10")
  void aSingleHandOffIsTwoCommandsAndOneMessage() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();
    Contender waiter =
        contender(() -> {
          theirs.lock();
          return true;
        });
    Await.until("the waiter is in the queue", this::isOneInLine);
    costs.reset();

    mine.unlock();
    assertTrue(waiter.result());

    assertTrue(costs.count("evalsha") <= 3, costs.counts().toString());
    assertEquals(1, costs.count("publish"));
    waiter.leave(theirs::unlock);
  }

  private String queue() {
    return "mortise:queue:{" + name + "}";
  }

  @Test
  @Rule("L15")
  void nothingIsLeftInTheStore() throws InterruptedException {
    List<LockService> services = List.of(service(), service());
    Crew.run(
        6,
        number -> {
          DistributedLock lock = services.get(number % 2).getLock(name + '-' + number % 3);
          for (int i = 0; i < 50; i++) {
            pair(lock);
          }
        });

    // Companion keys may outlive the last waiter, but never for ever.
    for (String key : kit.server().keys()) {
      if (key.contains(name)) {
        Object left = kit.server().command("PTTL", key);
        assertTrue(
            left instanceof Long millis && millis != -1, key + " has no expiry, PTTL " + left);
      }
    }
    assertTrue(
        kit.server().keys().stream()
            .noneMatch(key -> key.startsWith("mortise:lock:{" + name) || key.contains("check~")));
  }
}
