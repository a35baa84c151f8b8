package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.FencedRedLock;
import io.mortise.KeyGuard;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.QuorumException;
import io.mortise.StaleTokenException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyMail;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The fencing tokens of a Redlock. A server is a key prefix. */
@Rule({"L13", "L16"})
public abstract class MajorityTokenRules extends MajorityFixture {
  private static final Duration LONGEST = Duration.ofSeconds(3);

  protected MajorityTokenRules(LockKit kit) {
    super(ofAnyKeys(kit));
  }

  @Override
  String prefix(int node) {
    return "mortise:" + name + '-' + node + ':';
  }

  private static FencedRedLock fenced(Party party) {
    return party.lock.withQuarantine(LONGEST).withMemberTimeout(SECOND).fenced();
  }

  private Party voting() {
    Party party = new Party(LONGEST);
    fenced(party).init();
    return party;
  }

  private long tokenOf(Party party) {
    FencedRedLock lock = fenced(party);
    long token = lock.lockAndGetToken();
    lock.unlock();
    Await.until("all members are free", this::isFree);
    return token;
  }

  private boolean isFree() {
    return IntStream.range(0, NODES).noneMatch(this::isHeldOn);
  }

  private void counter(int node, String command) {
    runOn(prefix(node) + "red-fence:{" + name + '}', command);
  }

  @Test
  void anAttemptReturnsTheTokenOfItsHoldOrNone() throws InterruptedException {
    FencedRedLock mine = fenced(voting());
    FencedRedLock theirs = fenced(new Party(LONGEST));
    long first = mine.tryLockAndGetToken().orElseThrow();
    assertEquals(first, mine.fencingToken());
    assertTrue(theirs.tryLockAndGetToken().isEmpty());
    assertTrue(theirs.tryLockAndGetToken(Duration.ofSeconds(Long.MIN_VALUE)).isEmpty());
    mine.unlock();
    Await.until("all members are free", this::isFree);
    assertTrue(theirs.tryLockAndGetToken(SECOND).orElseThrow() > first);
    theirs.unlock();
  }

  @Test
  void tokensRiseFromHolderToHolder() {
    Party mine = voting();
    Party theirs = new Party(LONGEST);
    long last = 0;
    for (int i = 0; i < 3; i++) {
      for (Party each : List.of(mine, theirs)) {
        long token = tokenOf(each);
        assertTrue(token > last, last + ", " + token);
        last = token;
      }
    }
  }

  /**
   * The majorities share one server. Its counter is far ahead of the clock, so it alone decides.
   */
  @Test
  void aTokenOnOneMajorityIsReadOnEveryOther() {
    Party mine = voting();
    Party theirs = new Party(LONGEST);
    counter(0, "return {redis.call('SET', KEYS[1], 9000000000000000 - 100000)}");
    mine.cut(3, 4);
    theirs.cut(0, 1);

    long first = tokenOf(mine);
    long second = tokenOf(theirs);

    assertTrue(first >= 9_000_000_000_000_000L - 100_000, first + " is read from one server");
    assertTrue(second > first, first + ", " + second);
  }

  @Test
  void tokensRiseAlthoughAllCountersAreLost() {
    Party mine = voting();
    long first = tokenOf(mine);
    IntStream.range(0, NODES)
        .forEach(node -> {
          counter(node, "return {redis.call('DEL', KEYS[1])}");
          runOn(prefix(node) + "node", "return {redis.call('DEL', KEYS[1])}");
        });
    FencedRedLock lock = fenced(mine);
    assertThrows(QuorumException.class, lock::tryLock, "the servers are in quarantine");

    passTime(LONGEST.multipliedBy(2));

    assertTrue(tokenOf(mine) > first);
  }

  @Test
  void nestedHoldsAndLeasesHaveTheToken() throws InterruptedException {
    Party mine = voting();
    FencedRedLock lock = fenced(mine);
    assertThrows(IllegalMonitorStateException.class, lock::fencingToken);
    long token = lock.lockAndGetToken();
    lock.lock();
    assertEquals(token, lock.fencingToken());
    lock.unlock();
    lock.unlock();
    try (Lease lease = lock.acquire()) {
      assertTrue(lease.fencingToken().orElseThrow() > token);
    }
    mine.awaitFree();

    mine.lock.withQuarantine(LONGEST).lock();
    assertThrows(IllegalStateException.class, lock::fencingToken, "taken by another handle");
    assertThrows(IllegalStateException.class, lock::lockAndGetToken);
    mine.lock.unlock();
    assertThrows(IllegalStateException.class, mine.lock::fenced, "it has no quarantine");
  }

  @Test
  void aTokenThatTooFewServersAcceptIsNotGiven() {
    Party mine = voting();
    long before = tokenOf(mine);
    for (int node = 0; node < 3; node++) {
      mine.links
          .get(node)
          .send(call -> {
            if (call.script().name().equals("red-fence")) {
              throw new IllegalStateException("the test made this call fail");
            }
            return call;
          });
    }

    assertThrows(QuorumException.class, fenced(mine)::tryLock);

    mine.awaitFree();
    mine.links.forEach(link -> link.send(call -> call));
    assertTrue(tokenOf(mine) > before);
  }

  /** It was paused between its acquisition and its token, so its token could be the newest. */
  @Test
  void aHoldThatWasLostBeforeItsTokenHasNone() throws InterruptedException {
    Party mine = voting();
    tokenOf(mine); // the servers are known
    List<HeldCall> tokens = mine.links.stream().map(link -> link.hold("red-fence")).toList();
    FencedRedLock lock = fenced(mine).withLease(LONGEST).withMemberTimeout(SECOND);
    var pending = lock.async().tryAcquire();
    tokens.forEach(HeldCall::awaitSent);
    for (int node = 0; node < 3; node++) {
      forceOpenAndTell(mine, node);
    }

    tokens.forEach(HeldCall::pass);
    passTimeUntil("the attempt ends", SECONDS, pending::isDone);

    assertTrue(pending.isCompletedExceptionally(), pending::toString);
    mine.awaitFree();
  }

  /** Goes on when the message of the forced unlock has come. */
  private void forceOpenAndTell(Party party, int node) {
    FaultyMail mail = party.links.get(node).mail();
    mail.set(FaultyMail.Fate.LATE);
    forceOpen(node);
    Await.until("the message is on its way", () -> mail.kept() > 0);
    mail.set(FaultyMail.Fate.COMES);
    mail.deliver();
  }

  @Test
  void aGuardRefusesAHolderThatWasPaused() {
    Party mine = voting();
    Party theirs = new Party(LONGEST);
    KeyGuard guard = KeyGuard.of(backend());
    FencedRedLock paused = fenced(mine);
    paused.lock(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    long old = paused.fencingToken();
    guard.set(name, "old", old);
    passTime(LONGEST.plusMillis(100));

    FencedRedLock next = fenced(theirs);
    passTimeUntil("the lock is free", SECONDS, next::tryLock);
    guard.set(name, "new", next.fencingToken());

    assertThrows(StaleTokenException.class, () -> guard.set(name, "late", old));
    assertThrows(LeaseLostException.class, paused::fencingToken);
    next.unlock();
  }

  @Test
  @Rule("L19")
  void aTokenIsTwoCommandsOnEachMember() {
    Party mine = voting();
    long unused = tokenOf(mine);
    AtomicInteger tokens = new AtomicInteger();
    mine.links.forEach(link ->
        link.send(call -> {
          if (call.script().name().equals("red-fence")) {
            tokens.incrementAndGet();
          }
          return call;
        }));

    unused = tokenOf(mine);

    Await.until("two rounds are sent", () -> tokens.get() == 2 * NODES);
  }
}
