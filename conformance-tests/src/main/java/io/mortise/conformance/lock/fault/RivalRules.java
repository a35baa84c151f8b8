package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.ScriptedClient;
import io.mortise.conformance.lock.fixture.SkewedBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Known defects of another library that no other test of the kit covers. */
public abstract class RivalRules extends LockRules {
  private static final Duration BRIEF = Duration.ofSeconds(1);

  protected RivalRules(LockKit kit) {
    super(kit);
  }

  private long expiry(String key) {
    return (Long) runOn(key, "return {redis.call('PTTL', KEYS[1])}").get(0);
  }

  @Test
  @Rule({"W14", "L13", "L15"})
  void aFencedHoldHasTheLeaseItAskedForAndItsCounterExpires() {
    FencedLock lock = service().getFencedLock(name);
    long token = lock.withLease(Duration.ofSeconds(5)).lockAndGetToken();
    assertEquals(token, lock.withLease(Duration.ofSeconds(5)).lockAndGetToken());

    long left = expiry("mortise:lock:{" + name + '}');
    assertTrue(left > 0 && left <= 5_000, () -> left + " ms of a lease of 5 s");
    assertTrue(expiry("mortise:fence:{" + name + '}') > 0, "the counter would never expire");
    lock.unlock();
    lock.unlock();
  }

  @Test
  @Rule({"W16", "L10"})
  void deadWaitersOfAFairLockDoNotKeepOthersFromAFreeOne() {
    FaultyBackend link = new FaultyBackend(this::backend);
    LockService service = service(link, builder -> builder);
    DistributedLock holder = service.getFairLock(name);
    holder.lock();
    holder.unlock(); // the server knows both scripts now
    holder.lock();
    for (int i = 1; i <= 5; i++) {
      new ScriptedClient(backend(), link, name, "dead-" + i).assertWaits(1);
    }
    deleteKey(); // the lock is free, and no waiter gets a message
    DistributedLock mine = service().getFairLock(name);

    Contender living =
        contender(() -> {
          mine.lock();
          return true;
        });

    passTimeUntil("the live waiter holds the lock", Duration.ofSeconds(8), living::isInside);
    living.leave(mine::unlock);
    assertThrows(LeaseLostException.class, holder::unlock);
  }

  @Test
  @Rule({"W17", "L8", "L9"})
  void aRevokedHoldTakesNothingFromAnotherThreadOfItsProcess() {
    Duration lease = BRIEF.multipliedBy(3); // enough for renewals on a busy machine
    DistributedLock mine = service(builder -> builder.leaseTime(lease)).getLock(name);
    for (int i = 0; i < 4; i++) {
      mine.lock();
    }
    assertTrue(lock().forceUnlock());
    Contender second = entering(mine);
    passTimeUntil("the second thread holds the lock", lease, second::isInside);

    passTime(lease.multipliedBy(2));

    assertFalse(mine.isHeldByCurrentThread());
    assertTrue(mine.isHeldByThread(second.thread().getId()), "the hold is renewed");
    for (int i = 0; i < 4; i++) {
      assertThrows(IllegalMonitorStateException.class, mine::unlock);
    }
    second.leave(() -> {
      mine.ensureHeld();
      mine.unlock();
    });
  }

  private LockService skewed(Duration ahead) {
    return service(closing(new SkewedBackend(backend(), ahead)), builder -> builder);
  }

  @Test
  @Rule({"W22", "L11"})
  void wrongClocksOfProcessesDoNotChangeTheOrderOfAFairLock() {
    List<LockService> processes =
        List.of(skewed(Duration.ofDays(1)), service(), skewed(Duration.ofDays(-1)));
    DistributedLock holder = processes.get(0).getFairLock(name);
    holder.lock();
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Contender> line = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int number = i;
      DistributedLock lock = processes.get(i % 3).getFairLock(name);
      line.add(
          contender(() -> {
            lock.lock();
            order.add(number);
            lock.unlock();
            return true;
          }));
      awaitQueued(i + 1);
    }

    holder.unlock();

    line.forEach(Contender::result);
    assertEquals(IntStream.range(0, 6).boxed().toList(), order);
  }

  @Test
  @Rule({"W22", "S1", "S4"})
  void aWrongClockOfAProcessEndsNobodysPermitsEarlyOrLate() throws InterruptedException {
    DistributedSemaphore right = service().getSemaphore(name);
    DistributedSemaphore ahead = skewed(Duration.ofDays(1)).getSemaphore(name);
    DistributedSemaphore behind = skewed(Duration.ofDays(-1)).getSemaphore(name);
    assertTrue(right.trySetPermits(2));

    Lease one = behind.withLease(BRIEF).acquire();
    Lease other = right.withLease(BRIEF).acquire();

    assertTrue(ahead.tryAcquire().isEmpty(), "both are held");
    passTime(BRIEF.plusMillis(50));
    assertFalse(one.isValid());
    assertFalse(other.isValid());
    ahead.tryAcquire(2).orElseThrow().close();
    assertThrows(LeaseLostException.class, one::close);
    assertThrows(LeaseLostException.class, other::close);
  }
}
