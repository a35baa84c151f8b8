package io.mortise.conformance.lock.looking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.Kind;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.LockStatus;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code find} says about the locks of all processes. */
@Rule("L29")
public abstract class FindRules extends LockRules {
  private static final Duration LEASE = Duration.ofMinutes(10);

  private final List<Lease> leases = new ArrayList<>();

  protected FindRules(LockKit kit) {
    super(kit);
  }

  private LockService holding(String... names) throws InterruptedException {
    LockService service = service(builder -> builder.leaseTime(LEASE));
    for (String each : names) {
      leases.add(service.getLock(each).acquire());
    }
    return service;
  }

  private static List<String> names(List<LockStatus> found) {
    return found.stream().map(LockStatus::name).toList();
  }

  @Test
  void everyKindThatIsHeldIsFoundWithItsHolders() throws Exception {
    LockService mine = service(builder -> builder.leaseTime(LEASE));
    mine.getLock(name + "-1").lock();
    mine.getFairLock(name + "-2").lock();
    mine.getFencedLock(name + "-3").lock();
    mine.getReadWriteLock(name + "-4").readLock().lock();
    mine.getReadWriteLock(name + "-5").writeLock().lock();
    mine.getReadWriteLock(name + "-5").readLock().lock();
    mine.getSemaphore(name + "-6").resize(5);
    Lease permits = mine.getSemaphore(name + "-6").acquire(2);
    mine.getSemaphore(name + "-7").resize(5);
    mine.getCountDownLatch(name + "-8").trySetCount(3);

    LockService asked = service();
    List<LockStatus> found = asked.find(name + "*", 100);

    assertEquals(
        List.of(
            Kind.PLAIN, Kind.PLAIN, Kind.PLAIN, Kind.READ, Kind.READ, Kind.WRITE, Kind.SEMAPHORE),
        found.stream().map(LockStatus::kind).toList());
    assertEquals(
        List.of("-1", "-2", "-3", "-4", "-5", "-5", "-6"),
        names(found).stream().map(each -> each.substring(name.length())).toList());
    found.forEach(each -> assertHeldHere(each, mine));
    assertEquals(
        found.stream().map(LockStatus::kind).toList(),
        names(found).stream()
            .distinct()
            .flatMap(each -> asked.status(each).stream())
            .map(LockStatus::kind)
            .toList());
    assertTrue(asked.getLock(name + "-1").forceUnlock(found.get(0).holders().get(0).id()));
    permits.close();
  }

  /** This thread alone holds the lock, through that service, and nobody waits for it. */
  private static void assertHeldHere(LockStatus found, LockService service) {
    LockStatus.Holder holder = found.holders().get(0);
    assertEquals(1, found.holders().size());
    assertEquals(service.clientId(), holder.clientId());
    assertEquals(ProcessHandle.current().pid(), holder.pid());
    assertEquals(Thread.currentThread().getId(), holder.threadId());
    assertEquals(found.leaseLeft(), holder.leaseLeft());
    assertTrue(holder.leaseLeft().compareTo(LEASE) <= 0, found.toString());
    assertTrue(holder.leaseLeft().compareTo(LEASE.dividedBy(2)) > 0, found.toString());
    assertEquals(List.of(), found.waiters());
  }

  @Test
  void theWaitersAreListedInTheirOrder() throws Exception {
    LockService mine = holding(name);
    LockService second = service();
    DistributedLock third = service().getFairLock(name);
    Contender one = entering(second.getLock(name));
    awaitQueued(1);
    passTime(Duration.ofSeconds(1));
    Contender two = entering(third);
    awaitQueued(2);

    LockStatus found = mine.find(name, 10).get(0);

    assertEquals(
        List.of(one.thread().getId(), two.thread().getId()),
        found.waiters().stream().map(LockStatus.Waiter::threadId).toList());
    LockStatus.Waiter first = found.waiters().get(0);
    assertEquals(second.clientId(), first.clientId());
    assertEquals(ProcessHandle.current().pid(), first.pid());
    assertTrue(second.clientId().startsWith(first.host() + '~'), first.toString());
    assertTrue(first.waited().compareTo(Duration.ofMillis(900)) > 0, first.toString());
    assertTrue(first.waited().compareTo(found.waiters().get(1).waited()) > 0, found.toString());
    leases.get(0).close();
    assertTrue(one.result());
    one.leave(second.getLock(name)::unlock);
    assertTrue(two.result());
    two.leave(third::unlock);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          *,             a*b a?b a[bc]d a\\b axb ä:y/z {t} {tag}x
          a*b,           a*b a?b a\\b axb
          a?b,           a*b a?b a\\b axb
          a\\*b,         a*b
          a\\?b,         a?b
          a\\\\b,        a\\b
          a[bc]d,        a[bc]d
          ab,            ''
          a[b]d,         ''
          {tag}x,        {tag}x
          {*}*,          {tag}x
          t,             {t}
          ?:y/*,         ä:y/z
          A*,            ''
          """)
  void aPatternIsOfWholeNamesAndOnlyStarAndQuestionMarkStandForOthers(
      String pattern, String expected) throws Exception {
    LockService mine =
        holding(
            name + "a*b",
            name + "a?b",
            name + "a[bc]d",
            name + "a\\b",
            name + "axb",
            name + "ä:y/z",
            name + "{tag}x");
    List<String> wanted =
        expected.isEmpty()
            ? List.of()
            : List.of(expected.split(" ")).stream()
                .filter(each -> !each.equals("{t}"))
                .map(name::concat)
                .sorted()
                .toList();
    assertEquals(wanted, names(mine.find(name + pattern, 100)));
  }

  @Test
  void aTagAloneIsTheSameNameAsWithoutBraces() throws Exception {
    LockService mine = holding('{' + name + '}');
    assertEquals(List.of(name), names(mine.find(name, 10)));
  }

  @Test
  void theLimitEndsTheSearch() throws Exception {
    LockService mine = holding(name + "-1", name + "-2", name + "-3");
    assertEquals(2, mine.find(name + "*", 2).size());
    assertEquals(3, mine.find(name + "*", 3).size());
    assertThrows(IllegalArgumentException.class, () -> mine.find("*", 0));
  }

  @Test
  void whatIsFreeOrOfAnotherProgramIsNotFound() throws Exception {
    LockService mine = holding(name + "-1");
    DistributedLock freed = mine.getLock(name + "-2");
    freed.lock();
    freed.unlock();
    for (String key :
        List.of(
            "mortise:lock:{" + name + "-3}",
            "mortise:rw:readers:{" + name + "-4}",
            "mortise:sem:permits:{" + name + "-5}",
            "mortise:lock:" + name + "-6{",
            "mortise:lock:" + name + "-7",
            "lock:{" + name + "-8}")) {
      runOn(
          key, "redis.call('SET', KEYS[1], 'x') redis.call('PEXPIRE', KEYS[1], 60000) return {1}");
    }
    LockService other = service(builder -> builder.keyPrefix("other:"));
    Lease hidden = other.getLock(name + "-9").acquire();

    assertEquals(List.of(name + "-1"), names(mine.find(name + "*", 10)));
    assertEquals(List.of(name + "-9"), names(other.find(name + "*", 10)));
    hidden.close();
  }

  @Test
  void aPrefixWithGlobCharactersIsTakenAsItIs() throws Exception {
    LockService odd = service(builder -> builder.keyPrefix("o?[d]*\\:"));
    Lease held = odd.getLock(name).acquire();
    assertEquals(List.of(name), names(odd.find("*" + name, 10)));
    held.close();
  }

  @Test
  void aLargeStoreIsWalkedThroughInShortCalls() throws Exception {
    SpyBackend spy = new SpyBackend(backend());
    assumeTrue(spy.info().anyKeys(), "the test writes keys of several slots");
    run(
        "for i = 1, 5000 do redis.call('SET', 'mortise:bulk:' .. i, 'x') redis.call('PEXPIRE', 'mortise:bulk:' .. i, 60000) end return {1}");
    LockService mine = service(spy, builder -> builder);
    DistributedLock lock = mine.getLock(name);
    lock.lock();

    assertEquals(List.of(name), names(mine.find(name, 10)));

    assertTrue(
        spy.sent("list").stream().allMatch(call -> call.args().get(2).equals("500")),
        "each call looks at 500 keys");
    boolean inOne = run("return redis.call('SCAN', '0', 'COUNT', '500')").get(0).equals("0");
    int calls = spy.sent("list").size();
    assertTrue(calls >= (inOne ? 1 : 10), calls + " calls");
    assertEquals(1, spy.sent("status").size(), "only what fits is asked for");
    lock.unlock();
  }

  @Test
  void itIsRefusedWhereItCannotWork() {
    LockService closed = service();
    closed.close();
    assertThrows(LockServiceClosedException.class, () -> closed.find("*", 1));
    for (String bad : List.of("", "x\\", "x".repeat(1_025))) {
      assertThrows(IllegalArgumentException.class, () -> service().find(bad, 1));
    }
    assumeTrue(backend().info().topology() == Topology.SINGLE);
    LockService shared = service(builder -> builder.redissonInterop(true));
    assertThrows(UnsupportedOperationException.class, () -> shared.find("*", 1));
  }
}
