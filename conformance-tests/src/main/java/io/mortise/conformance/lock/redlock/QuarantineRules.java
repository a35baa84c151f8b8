package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.QuorumException;
import io.mortise.QuorumException.Answer;
import io.mortise.QuorumException.Verdict;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The Redlock in quarantine. A server is a key prefix, so here it loses its data when the keys with
 * its prefix are deleted, and it is another process when its marker says so.
 */
@Rule("L16")
public abstract class QuarantineRules extends MajorityFixture {
  private static final Duration LONGEST = Duration.ofSeconds(3);
  private static final Duration COMMAND = SECOND;

  /** Longer than a quarantine, which has 1 % and 2 ms for clocks. */
  private static final Duration QUARANTINE = LONGEST.plus(COMMAND).plusMillis(200);

  /** The kinds of lock that a member can be. */
  enum Kind {
    FAIR,
    FENCED,
    READ,
    WRITE;

    LeasedLock of(LockService service) {
      return switch (this) {
        case FAIR -> service.getFairLock("x");
        case FENCED -> service.getFencedLock("x");
        case READ -> service.getReadWriteLock("x").readLock();
        case WRITE -> service.getReadWriteLock("x").writeLock();
      };
    }
  }

  protected QuarantineRules(LockKit kit) {
    super(ofAnyKeys(kit));
  }

  /** The prefixes of one test, because a marker never expires. */
  @Override
  String prefix(int node) {
    return "mortise:" + name + '-' + node + ':';
  }

  /** A process whose servers have not been told that they are new. */
  private Party stranger() {
    return new Party(LONGEST, builder -> builder.commandTimeout(COMMAND));
  }

  private static RedLock red(Party party) {
    return patient(party.lock.withQuarantine(LONGEST));
  }

  /**
   * The standard timeout of a member is 150 ms with these leases. On a busy machine an answer takes
   * longer, and then it is none.
   */
  private static RedLock patient(RedLock lock) {
    return lock.withMemberTimeout(SECOND);
  }

  /** A process, on servers that vote. */
  private Party voting() {
    Party party = stranger();
    red(party).init();
    return party;
  }

  private String marker(int node) {
    return prefix(node) + "node";
  }

  /** The servers lose all data. */
  private void lose(int... nodes) {
    for (int node : nodes) {
      runOn(marker(node), "return {redis.call('DEL', KEYS[1])}");
      runOn(key(node, "lock"), "return {redis.call('DEL', KEYS[1])}");
    }
  }

  /** Other processes answer for the servers, which have all data but the lock. */
  private void replace(int... nodes) {
    for (int node : nodes) {
      mark(node, "process", "another");
      runOn(key(node, "lock"), "return {redis.call('DEL', KEYS[1])}");
    }
  }

  private void mark(int node, String field, String value) {
    runOn(marker(node), "return {redis.call('HSET', KEYS[1], '%s', '%s')}".formatted(field, value));
  }

  /** The answers that the attempt ended with. It ends before it has all of them. */
  private static Set<Answer> answers(QuorumException e) {
    assertFalse(e.verdicts().isEmpty());
    return e.verdicts().stream().map(Verdict::answer).collect(Collectors.toSet());
  }

  private static QuorumException refused(RedLock lock) {
    return assertThrows(QuorumException.class, lock::tryLock);
  }

  private static void says(Throwable e, String text) {
    assertTrue(String.valueOf(e.getMessage()).contains(text), e::toString);
  }

  // Servers that may have lost data

  @Test
  void serversThatHaveNeverVotedWaitForTheLongestLease() {
    RedLock lock = red(stranger());

    assertEquals(Set.of(Answer.QUARANTINED), answers(refused(lock)));
    passTime(LONGEST);
    assertEquals(Set.of(Answer.QUARANTINED), answers(refused(lock)), "in time for commands");
    passTime(QUARANTINE.minus(LONGEST));

    assertTrue(lock.tryLock());
    lock.unlock();
  }

  /** Three of five members are held, then one of them is given away again. */
  @Test
  void anEmptyServerGivesItsPartTwiceWithoutQuarantine() throws InterruptedException {
    Party mine = stranger();
    Party theirs = stranger();
    holdThree(mine, mine.lock);
    lose(2);

    assertTrue(theirs.lock.tryLock(), "the reason for a quarantine");

    assertTrue(mine.lock.isHeldByCurrentThread());
    theirs.lock.unlock();
  }

  @Test
  void anEmptyServerGivesNoVoteBeforeTheLongestLeaseIsOver() throws InterruptedException {
    Party mine = voting();
    RedLock theirs = red(stranger());
    holdThree(mine, red(mine));
    lose(2);

    assertFalse(theirs.tryLock());
    assertTrue(mine.lock.isHeldByCurrentThread());

    passTime(LONGEST);
    assertFalse(mine.lock.isHeldByCurrentThread());
    passTimeUntil("the others are a majority", SECONDS, theirs::tryLock);
    theirs.unlock();
  }

  @Test
  void aServerWithOldDataGivesNoVoteBeforeTheLongestLeaseIsOver() throws InterruptedException {
    Party mine = voting();
    RedLock theirs = red(stranger());
    holdThree(mine, red(mine));
    replace(2);

    assertFalse(theirs.tryLock());
    assertTrue(mine.lock.isHeldByCurrentThread());
  }

  private void holdThree(Party party, RedLock lock) throws InterruptedException {
    party.cut(3, 4);
    assertTrue(lock.tryLock(0, LONGEST.toMillis(), TimeUnit.MILLISECONDS));
    Await.until("three members are held", () -> isHeldOn(0) && isHeldOn(1) && isHeldOn(2));
    party.mend(3, 4);
  }

  @Test
  void tooFewVotesAreReportedWithTheRestOfTheQuarantine() {
    Party mine = voting();
    RedLock lock = red(mine);
    assertTrue(lock.tryLock());
    lock.unlock();
    mine.awaitFree();
    lose(0, 1, 2);

    QuorumException e = refused(lock);

    assertTrue(answers(e).contains(Answer.QUARANTINED), e::getMessage);
    says(e, "in quarantine for ");
    assertFalse(String.valueOf(e.getMessage()).contains("in quarantine for 0 ms"));
  }

  @Test
  void aTimedAttemptWaitsForTheEndOfTheQuarantine() {
    Party mine = voting();
    lose(0, 1, 2);
    Contender waiter =
        contender(
            () -> red(mine).tryLock(QUARANTINE.multipliedBy(3).toMillis(), TimeUnit.MILLISECONDS));

    passTimeUntil("the waiter is in", QUARANTINE.multipliedBy(3), waiter::isInside);

    waiter.leave(mine.lock::unlock);
  }

  // Holders and waiters

  @Test
  @Rule("L8")
  void aHolderTakesServersInQuarantineAgainAndReleasesThem() {
    Party mine = voting();
    RedLock theirs = red(stranger());
    RedLock lock = red(mine);
    lock.lock();
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    lose(0, 1);

    passTimeUntil("the members are held again", LONGEST, () -> isHeldOn(0) && isHeldOn(1));
    passTime(LONGEST); // from now on they count
    lose(2); // in quarantine like the others, so only two servers could vote
    assertFalse(takes(theirs)); // on a slow machine two of them vote again, and are busy
    lock.ensureHeld();
    lock.unlock();
    mine.awaitFree();
  }

  /** Whether it acquires the lock. Too few servers that may vote are a no. */
  private static boolean takes(RedLock lock) {
    try {
      return lock.tryLock();
    } catch (QuorumException e) {
      return false;
    }
  }

  /**
   * The servers grant, but they are not those on which the waiter joined the queues. The quarantine
   * is longer than the waiter may stand in one queue.
   */
  @Test
  void aGrantOfServersInQuarantineIsNoVote() {
    Party mine = stranger();
    RedLock lock = patient(mine.lock.withQuarantine(LONGEST.multipliedBy(10)));
    lock.init();
    lock.lock();
    Contender waiter =
        contender(() -> {
          lock.lock();
          return true;
        });
    passTimeUntil("the waiter is in the queues", SECONDS, () -> waiting() == GATES);
    for (int node = 0; node < 3; node++) {
      mark(node, "process", "another");
    }

    lock.unlock();

    passTimeUntil("the waiter gives up", SECONDS, () -> !waiter.thread().isAlive());
    assertInstanceOf(QuorumException.class, waiter.failure());
    mine.awaitFree();
  }

  @Test
  @Rule("L10")
  void aWaiterIsGrantedTheLock() {
    Party mine = voting();
    RedLock lock = red(mine);
    lock.lock();
    RedLock theirs = red(stranger());
    Contender waiter =
        contender(() -> {
          theirs.lock();
          return true;
        });
    passTimeUntil("the waiter is in the queues", SECONDS, () -> waiting() == GATES);

    lock.unlock();

    passTimeUntil("the waiter is in", SECONDS, waiter::isInside);
    waiter.leave(theirs::unlock);
    mine.awaitFree();
  }

  // The set

  @Test
  @Rule("L18")
  void processesThatStateDifferentSetsRefuseEachOther() {
    Party mine = voting();
    Party theirs = stranger();
    RedLock longer = patient(theirs.lock.withQuarantine(LONGEST.multipliedBy(2)));
    RedLock fewer =
        patient(
            RedLock.of(theirs.members.subList(0, 3).toArray(DistributedLock[]::new))
                .withQuarantine(LONGEST));

    QuorumException e = refused(longer);
    assertEquals(Set.of(Answer.REFUSED), answers(e));
    says(e, "5 members, longest lease 3000 ms");
    says(e, "5 members, longest lease 6000 ms");
    assertEquals(Set.of(Answer.REFUSED), answers(refused(fewer)));

    assertTrue(red(mine).tryLock());
    red(mine).unlock();
  }

  @Test
  @Rule("L18")
  void aLeaseBeyondTheLongestIsRefused() throws InterruptedException {
    Party mine = voting();
    RedLock lock = red(mine);
    Duration more = LONGEST.plusMillis(1);
    assertThrows(
        IllegalArgumentException.class, () -> mine.lock.withQuarantine(LONGEST.minusMillis(1)));
    assertThrows(IllegalArgumentException.class, () -> mine.lock.withQuarantine(Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> lock.withLease(more));
    assertThrows(
        IllegalArgumentException.class, () -> lock.lock(more.toMillis(), TimeUnit.MILLISECONDS));
    try (Lease lease = lock.acquire()) {
      assertThrows(IllegalArgumentException.class, () -> lease.extend(more));
      assertThrows(IllegalArgumentException.class, () -> lease.extendAsync(more));
      assertTrue(lease.extend(LONGEST));
    }
    lock.lock();
    assertThrows(
        IllegalArgumentException.class,
        () -> mine.lock.lock(more.toMillis(), TimeUnit.MILLISECONDS),
        "nested, by a handle without quarantine");
    lock.unlock();
  }

  /** As after a step of the server's clock, which ends the quarantine too early. */
  @Test
  void aProcessCountsTheQuarantineByItsOwnClockToo() {
    Party mine = voting();
    RedLock lock = red(mine);
    lose(0, 1, 2);
    refused(lock);
    for (int node = 0; node < 3; node++) {
      mark(node, "from", "1");
    }

    assertTrue(answers(refused(lock)).contains(Answer.QUARANTINED));

    passTime(QUARANTINE);
    assertTrue(lock.tryLock());
    lock.unlock();
  }

  /** As after a step back of the server's clock. */
  @Test
  void aQuarantineThatWouldNotEndBeginsAgain() {
    Party mine = voting();
    RedLock lock = red(mine);
    for (int node = 0; node < 3; node++) {
      mark(node, "from", "99999999999999");
    }
    refused(lock);

    passTime(QUARANTINE);

    assertTrue(lock.tryLock());
    lock.unlock();
  }

  // The first start

  @Test
  @Rule("L18")
  void onlyServersThatWereNeverUsedVoteAtOnce() {
    Party mine = stranger();
    assertThrows(IllegalStateException.class, mine.lock::init, "it has no quarantine");
    mine.members.get(3).lock();

    IllegalStateException used = assertThrows(IllegalStateException.class, red(mine)::init);
    says(used, key(3, "lock"));
    mine.members.get(3).unlock();
    red(mine).init();

    assertTrue(red(mine).tryLock());
    red(mine).unlock();
    IllegalStateException again = assertThrows(IllegalStateException.class, red(mine)::init);
    says(again, marker(0));
  }

  @Test
  @Rule("L18")
  void noServerVotesIfOneCannotBeAsked() {
    Party mine = stranger();
    mine.cut(4);
    assertThrows(RuntimeException.class, red(mine)::init);
    mine.mend(4);

    assertEquals(Set.of(Answer.QUARANTINED), answers(refused(red(mine))));
  }

  // Members and cost

  @ParameterizedTest
  @EnumSource
  void everyKindOfLockVotes(Kind kind) {
    Party mine = stranger();
    LeasedLock[] members = mine.services.stream().map(kind::of).toArray(LeasedLock[]::new);
    RedLock lock = patient(RedLock.of(members).withQuarantine(LONGEST));
    lock.init();

    assertTrue(lock.tryLock());
    lock.unlock();
    lose(0, 1, 2);
    passTime(Duration.ofMillis(100));
    refused(lock);
  }

  @Test
  void aLockSharedWithRedissonVotes() {
    LockService service =
        service(builder -> builder.leaseTime(LONGEST).keyPrefix(prefix(0)).redissonInterop(true));
    RedLock lock = patient(RedLock.of(service.getLock(name)).withQuarantine(LONGEST));
    assertEquals(Set.of(Answer.QUARANTINED), answers(refused(lock)));

    passTime(QUARANTINE);

    assertTrue(lock.tryLock());
    lock.unlock();
  }

  @Test
  @Rule("L19")
  void aVoteIsOneCommand() {
    Party mine = voting();
    RedLock lock = red(mine);
    assertTrue(lock.tryLock(), "meets the servers");
    lock.unlock();
    mine.awaitFree();
    AtomicInteger votes = new AtomicInteger();
    AtomicInteger others = new AtomicInteger();
    mine.links.forEach(link ->
        link.send(call -> {
          (call.script().name().equals("vote") ? votes : others).incrementAndGet();
          return call;
        }));

    assertTrue(lock.tryLock());
    Await.until("every member was asked", () -> votes.get() == NODES);
    lock.unlock();
    // A vote that is still out is given back when its reply comes.
    Await.until("one to release each", () -> others.get() == NODES);

    assertEquals(NODES, votes.get());
    assertEquals(NODES, others.get(), "one to release each");
  }
}
