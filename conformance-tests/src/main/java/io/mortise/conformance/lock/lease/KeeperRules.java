package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Renewal, counted: as often as needed, in few commands, and only of holds. */
public abstract class KeeperRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final String RENEW = "renew";

  private final SpyBackend spy;
  private final Map<String, List<LeaseState>> changes = new ConcurrentHashMap<>();

  protected KeeperRules(LockKit kit) {
    super(kit);
    spy = new SpyBackend(backend());
  }

  private LockService spied(Duration lease) {
    LockListener notes =
        new LockListener() {
          @Override
          public void leaseChanged(LeaseChange event) {
            changes
                .computeIfAbsent(event.name(), key -> new CopyOnWriteArrayList<>())
                .add(event.state());
          }
        };
    return service(spy, builder -> builder.leaseTime(lease).listener(notes));
  }

  private List<DistributedLock> held(LockService service, int count) {
    List<DistributedLock> held = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      held.add(service.getLock(name + '-' + i));
    }
    held.forEach(DistributedLock::lock);
    return held;
  }

  private String key(DistributedLock lock) {
    return "mortise:lock:{" + lock.name() + '}';
  }

  private void spoil(DistributedLock lock, String script) {
    Script spoiling = Script.of("spoil", script);
    backend().execute(new ScriptCall(spoiling, List.of(key(lock)), List.of(), SECOND));
  }

  private boolean isRenewed(DistributedLock lock) {
    return spy.sent(RENEW).stream().anyMatch(call -> call.keys().contains(key(lock)));
  }

  @Test
  @Rule({"W2", "L8"})
  void oneHoldIsRenewedOncePerPeriodWhateverCameBefore() {
    Duration lease = LEASE.multipliedBy(3); // enough, on a busy machine
    DistributedLock lock = spied(lease).getLock(name);
    for (int i = 0; i < 100; i++) {
      lock.lock();
      lock.unlock();
    }
    lock.lock();
    spy.forget();

    passTime(lease.plus(lease.dividedBy(2)));

    int renewals = spy.sent(RENEW).size();
    assertTrue(renewals >= 2 && renewals <= 6, "4 were due, " + renewals + " were sent");
    lock.unlock();
  }

  @Test
  @Rule("L8")
  void tenThousandHoldsAreRenewedAHundredPerCommandAndWithoutThreads() {
    Duration lease = Duration.ofSeconds(12); // enough, on a busy machine, to renew them all
    long holds = 10_000;
    int threads = Thread.getAllStackTraces().size();
    LockService service = spied(lease);
    List<DistributedLock> held = held(service, (int) holds);
    spy.forget();

    passTime(lease.dividedBy(2));
    passTimeUntil("every hold was renewed", lease.dividedBy(4), () -> renewedKeys() == holds);

    List<ScriptCall> renewals = spy.sent(RENEW);
    long renewed = renewals.stream().mapToLong(call -> call.keys().size()).sum();
    assertTrue(renewed <= 2 * holds, "none more often than needed: " + renewed);
    assertTrue(
        !backend().info().anyKeys() || renewals.size() * holds <= 110 * renewed,
        renewed + " renewals in " + renewals.size() + " commands");
    int more = Thread.getAllStackTraces().size() - threads;
    assertTrue(more < 60, "more threads: " + more);
    held.forEach(DistributedLock::ensureHeld);
  }

  private long renewedKeys() {
    return spy.sent(RENEW).stream().flatMap(call -> call.keys().stream()).distinct().count();
  }

  @Test
  @Rule("L8")
  void renewalEndsWithTheHoldHoweverItEnds() throws InterruptedException {
    Duration lease = LEASE.multipliedBy(3); // they are held when they end, on a busy machine
    LockService service = spied(lease);
    List<DistributedLock> held = held(service, 20);
    DistributedLock forced = held.get(19);
    passTimeUntil("the holds are renewed", lease, () -> isRenewed(forced));

    held.subList(0, 19).forEach(DistributedLock::unlock);
    assertTrue(forced.forceUnlock());
    Await.until("the hold is lost", () -> forced.leaseState() == LeaseState.LOST);
    Contender dying =
        contender(() -> {
          held.get(0).lock();
          return true;
        });
    assertTrue(dying.result());
    dying.leave(() -> {});
    passTime(LEASE.dividedBy(10)); // a renewal may be on its way
    spy.forget();

    passTime(lease.dividedBy(2));

    assertEquals(List.of(), spy.sent(RENEW));
    assertThrows(LeaseLostException.class, forced::unlock);
  }

  @Test
  @Rule("L8")
  void aRenewalThatArrivesAfterTheUnlockTouchesNothing() {
    Duration lease = LEASE.multipliedBy(3); // it is held when it is unlocked, on a busy machine
    LockService service = spied(lease);
    DistributedLock mine = service.getLock(name);
    DistributedLock theirs = lock();
    mine.lock();
    spy.keepBack(call -> call.script().name().equals(RENEW));
    passTimeUntil("a renewal is out", lease, () -> spy.keptBack() > 0);

    mine.unlock();
    mine.lock();
    spy.release();

    assertEquals(LeaseState.HELD, mine.leaseState());
    assertFalse(theirs.tryLock());
    mine.unlock();
    assertTrue(theirs.tryLock());
    assertEquals(Map.of(), changes);
    theirs.unlock();
  }

  @Test
  @Rule({"W3", "L9"})
  void keysSpoiledWhileTheirRenewalIsOutHarmNoOtherHold() {
    Duration lease = LEASE.multipliedBy(3); // enough time, on a busy machine, to break them
    LockService service = spied(lease);
    List<DistributedLock> held = held(service, 150);
    spy.keepBack(call -> call.script().name().equals(RENEW));
    passTimeUntil("both renewals are out", lease, () -> spy.keptBack() > 1);

    spoil(held.get(0), "return {redis.call('DEL', KEYS[1])}");
    spoil(held.get(1), "return {redis.call('SET', KEYS[1], 'text', 'PX', 60000)}");
    spoil(
        held.get(2),
        "redis.call('DEL', KEYS[1]) return {redis.call('HSET', KEYS[1], 'other:1:1', 1),"
            + " redis.call('PEXPIRE', KEYS[1], 60000)}");
    spy.release();
    Await.until("three holds are lost", () -> changes.size() >= 3);
    passTime(lease.plusMillis(100));

    for (DistributedLock lost : held.subList(0, 3)) {
      assertEquals(List.of(LeaseState.LOST), changes.get(lost.name()));
      assertThrows(LeaseLostException.class, lost::unlock);
      spoil(lost, "return {redis.call('DEL', KEYS[1])}");
    }
    held.subList(3, 150).forEach(DistributedLock::ensureHeld);
    assertEquals(3, changes.size(), changes.toString());
    held.subList(3, 150).forEach(DistributedLock::unlock);
  }

  @Test
  @Rule({"W3", "L8"})
  void aRenewalThatHangsOnceMakesItsOwnHoldsSuspectAndEndsNone() {
    Duration lease = LEASE.multipliedBy(3); // the next renewal comes in time on a busy machine
    LockService service = spied(lease);
    List<DistributedLock> held = held(service, 150);
    spy.hangOnce();

    passTime(lease.plusMillis(500));

    held.forEach(DistributedLock::ensureHeld);
    ScriptCall hung = Objects.requireNonNull(spy.hung());
    assertEquals(RENEW, hung.script().name());
    List<LeaseState> recovered = List.of(LeaseState.SUSPECT, LeaseState.HELD);
    Await.until(
        () -> "all its holds have recovered: " + changes,
        Await.patience(),
        () -> changes.values().stream().filter(recovered::equals).count() == hung.keys().size());
    assertEquals(
        hung.keys().size(), changes.size(), "only holds of the hung command were affected");
    held.forEach(DistributedLock::unlock);
  }
}
