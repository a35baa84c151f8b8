package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.FencedLock;
import io.mortise.FencedRedLock;
import io.mortise.LeaderElection;
import io.mortise.LockHolder;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.RedLock;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.LogCapture;
import io.mortise.conformance.support.Remains;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Who leads, and for how long. Time is moved, and callbacks run in place, so each step has happened
 * when a call returns.
 */
class ElectionTest implements BackendUnderTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration RENEWAL = Duration.ofSeconds(10);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMinutes(5);

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final FaultyBackend link = new FaultyBackend(store::backend);
  private final Deque<LockService> open = new ArrayDeque<>();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    open.forEach(LockService::close);
  }

  private LockService service() {
    return service(store.backend());
  }

  private LockService service(LockBackend backend) {
    LockService service =
        LockService.builder().backend(backend).executor(Runnable::run).leaseTime(LEASE).open();
    open.add(service);
    return service;
  }

  private Candidate candidate() {
    return Candidate.joined(service());
  }

  private static void assertLeads(Candidate leader, Candidate... others) {
    assertTrue(leader.leads(), leader.told::toString);
    for (Candidate each : others) {
      assertFalse(each.leads(), each.told::toString);
    }
  }

  // Terms

  @Test
  @Rule({"E1", "E2"})
  void candidatesLeadOneAfterTheOtherInTheirOrder() {
    List<Candidate> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      all.add(candidate());
    }
    long last = 0;
    while (!all.isEmpty()) {
      assertEquals(1, all.stream().filter(Candidate::leads).count());
      Candidate leader = all.remove(0);
      assertTrue(leader.leads());
      assertTrue(leader.term() > last, leader.term() + " after " + last);
      assertEquals(List.of(leader.term()), leader.terms);
      last = leader.term();
      store.advance(RENEWAL.multipliedBy(5));
      assertEquals(List.of("elected 1"), leader.told);
      leader.election().close();
      assertEquals(List.of("elected 1", "revoked 1"), leader.told);
    }
    assertEquals(0, service().getFencedLock(Candidate.NAME).getQueueLength());
  }

  @Test
  @Rule({"E1", "L21"})
  void anybodySeesWhoLeadsAndInWhichTerm() {
    FencedLock seen = service().getFencedLock(Candidate.NAME);
    assertTrue(seen.holder().isEmpty());
    Candidate leader = candidate();
    candidate();

    LockHolder holder = seen.holder().orElseThrow();

    assertEquals(leader.service.clientId(), holder.clientId());
    assertEquals(leader.term(), holder.fencingToken().orElseThrow());
    assertEquals(1, holder.waiters());
    assertEquals(Candidate.NAME, leader.election().name());
    assertEquals(
        "LeaderElection[reports, leads in term " + leader.term() + "]",
        leader.election().toString());
  }

  @Test
  @Rule({"E1", "E5"})
  void aLeaderThatIsCutOffLeadsUntilItsLeaseIsOverAndTheNextOneFollows() {
    Candidate lost = Candidate.joined(service(link));
    Candidate next = candidate();
    link.set(FaultyBackend.Link.DOWN);

    store.advance(LEASE.minus(SECOND));
    assertLeads(lost, next);
    assertEquals(List.of("elected 1"), lost.told);

    store.advance(SECOND.multipliedBy(2));
    assertLeads(next, lost);
    assertEquals(List.of("elected 1", "revoked 1 UNREACHABLE"), lost.told);
    assertTrue(next.term() > lost.terms.get(0));

    link.set(FaultyBackend.Link.UP);
    store.advance(LEASE);
    assertLeads(next, lost);
    next.election().close();
    assertLeads(lost, next);
    assertTrue(lost.term() > next.terms.get(0));
  }

  @Test
  @Rule({"E1", "E5"})
  void whatNobodyHasToldYetIsKnownToIsLeader() {
    Deque<Runnable> tasks = new ArrayDeque<>();
    LockService stuck =
        LockService.builder().backend(link).executor(tasks::add).leaseTime(LEASE).open();
    open.add(stuck);
    Candidate leader = Candidate.joined(stuck);
    runAll(tasks);
    assertLeads(leader);
    link.set(FaultyBackend.Link.DOWN);

    store.advance(LEASE.plus(SECOND));

    assertFalse(leader.leads());
    assertTrue(leader.election().term().isEmpty());
    assertEquals(List.of("elected 1"), leader.told);
    runAll(tasks);
    assertEquals(List.of("elected 1", "revoked 1 UNREACHABLE"), leader.told);
  }

  private static void runAll(Deque<Runnable> tasks) {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  @Rule({"E2", "E5"})
  void aLeaderIsElectedAgainAfterTheStoreHasLostItsData() {
    Candidate leader = candidate();
    long before = leader.term();
    LockBackend raw = store.backend();
    for (String key : List.of("mortise:lock:{reports}", "mortise:token:{reports}")) {
      raw.execute(
          new ScriptCall(
              Script.of("flush", "return {redis.call('DEL', KEYS[1])}"),
              List.of(key),
              List.of(),
              SECOND));
    }
    store.advance(RENEWAL);

    assertEquals(List.of("elected 1", "revoked 1 KEY_GONE", "elected 2"), leader.told);
    assertTrue(leader.term() > before);
  }

  @Test
  @Rule({"E2", "E5"})
  void aForcedUnlockEndsTheTermAndTheLeaderStandsAgainAtTheEndOfTheQueue() {
    Candidate first = candidate();
    Candidate second = candidate();

    assertTrue(second.lock.forceUnlock());

    assertEquals(List.of("elected 1", "revoked 1 FORCED"), first.told);
    assertLeads(second, first);
    assertTrue(second.term() > first.terms.get(0));
    assertTrue(first.lock.forceUnlock());
    assertLeads(first, second);
    assertEquals(2, first.elections());
  }

  @Test
  @Rule("E5")
  void aTermEndsAtTheMaxHoldOfTheHandle() {
    LockService limited = service();
    Candidate other = Candidate.of(service());
    List<String> told = new ArrayList<>();
    LeaderElection election =
        LeaderElection.join(limited.getFencedLock(Candidate.NAME).withMaxHold(PAUSE), noting(told));
    other.join();

    store.advance(PAUSE.plus(SECOND));

    assertFalse(election.isLeader());
    assertTrue(other.leads());
    assertEquals(List.of("elected", "revoked MAX_HOLD"), told);
  }

  private static LeaderElection.Leader noting(List<String> told) {
    return new LeaderElection.Leader() {
      @Override
      public void onElected(long term) {
        told.add("elected");
      }

      @Override
      public void onRevoked(long term, java.util.Optional<io.mortise.LossCause> loss) {
        told.add("revoked" + loss.map(cause -> " " + cause).orElse(""));
      }
    };
  }

  // Stepping down

  @Test
  @Rule({"E4", "E6"})
  void aLeaderThatStepsDownLetsAnotherLeadAndStandsAgainAfterThePause() {
    Candidate first = candidate();
    Candidate second = candidate();

    CompletableFuture<Void> free = first.election().stepDown(PAUSE);

    assertTrue(free.isDone());
    assertEquals(List.of("elected 1", "revoked 1"), first.told);
    assertLeads(second, first);
    second.election().close();
    assertFalse(second.lock.isLocked());
    store.advance(PAUSE.minusMillis(1));
    assertEquals(1, first.elections());
    store.advance(Duration.ofMillis(1));
    assertLeads(first, second);
    assertTrue(first.term() > second.terms.get(0));
  }

  @Test
  @Rule({"E4", "E6"})
  void aLeaderThatStepsDownWithoutAPauseStandsAgainAtTheEndOfTheQueue() {
    Candidate first = candidate();
    Candidate second = candidate();
    Candidate third = candidate();
    for (Candidate each : List.of(first, second, third, first)) {
      assertLeads(each);
      assertTrue(each.election().stepDown(Duration.ZERO).isDone());
    }
    assertLeads(second, first, third);
  }

  @Test
  @Rule("E6")
  void aCandidateThatDoesNotLeadStepsDownWithoutACommand() {
    SpyBackend spy = new SpyBackend(store.backend());
    Candidate leader = candidate();
    Candidate waiting = Candidate.joined(service(spy));
    spy.forget();

    assertTrue(waiting.election().stepDown(PAUSE).isDone());

    assertTrue(spy.toString().contains(", 0 calls,"), spy::toString);
    leader.election().close();
    assertLeads(waiting, leader);
  }

  // Ending

  @Test
  @Rule({"E3", "E4", "E8"})
  void aLeaderThatIsClosedIsToldOnceAndGivesTheLockBackAfterThat() {
    SpyBackend spy = new SpyBackend(store.backend());
    Candidate leader = Candidate.joined(service(spy));
    Candidate next = Candidate.of(service());
    List<Boolean> seen = new ArrayList<>();
    leader.onRevoked =
        () -> {
          seen.add(next.lock.isLocked());
          seen.add(leader.leads());
        };

    leader.election().close();

    assertEquals(List.of(true, false), seen);
    assertEquals(List.of("elected 1", "revoked 1"), leader.told);
    assertFalse(next.lock.isLocked());
    spy.forget();
    leader.election().close();
    assertTrue(leader.election().stepDown(PAUSE).isDone());
    store.advance(PAUSE.multipliedBy(2));
    assertTrue(spy.toString().contains(", 0 calls,"), spy::toString);
    assertEquals(List.of("elected 1", "revoked 1"), leader.told);
    assertEquals("LeaderElection[reports, closed]", leader.election().toString());
  }

  @Test
  @Rule("E8")
  void aCandidateThatIsClosedLeavesTheQueueAndIsToldNothing() {
    Candidate leader = candidate();
    Candidate waiting = candidate();
    assertEquals(1, leader.lock.getQueueLength());

    waiting.election().close();

    assertEquals(0, leader.lock.getQueueLength());
    leader.election().close();
    store.advance(LEASE);
    assertEquals(List.of(), waiting.told);
    assertFalse(leader.lock.isLocked());
  }

  @Test
  @Rule("E8")
  void aCandidateThatIsClosedInItsPauseStandsNoMore() {
    Candidate leader = candidate();
    CompletableFuture<Void> unused = leader.election().stepDown(PAUSE);

    leader.election().close();

    store.advance(PAUSE.multipliedBy(2));
    assertEquals(List.of("elected 1", "revoked 1"), leader.told);
    assertFalse(leader.lock.isLocked());
  }

  @Test
  @Rule("E8")
  void aClosedServiceEndsItsCandidates() {
    Candidate leader = candidate();
    Candidate next = candidate();
    Candidate waiting = candidate();
    Candidate paused = Candidate.of(service());
    next.service.close();
    assertEquals(List.of(), next.told);

    leader.service.close();
    assertEquals(List.of("elected 1", "revoked 1 SERVICE_CLOSED"), leader.told);
    assertLeads(waiting, leader, next);
    leader.election().close();
    assertEquals(2, leader.told.size());

    waiting.election().close();
    CompletableFuture<Void> unused = paused.join().election().stepDown(PAUSE);
    paused.service.close();
    store.advance(PAUSE.multipliedBy(2));
    assertEquals(List.of("elected 1", "revoked 1"), paused.told);
    assertThrows(LockServiceClosedException.class, leader::join);
  }

  /** Or it would wait for a leader that nothing tells to stop. */
  @Test
  @Rule({"E4", "E8"})
  void aServiceThatIsClosedInGoodOrderDoesNotWaitForItsLeader() {
    Candidate leader = candidate();
    List<Boolean> seen = new ArrayList<>();
    FencedLock looked = service().getFencedLock(Candidate.NAME);
    leader.onRevoked = () -> seen.add(looked.isLocked());

    assertTrue(leader.service.close(Duration.ofHours(1)));

    assertEquals(List.of("elected 1", "revoked 1 SERVICE_CLOSED"), leader.told);
    assertEquals(List.of(true), seen);
    assertFalse(looked.isLocked());
  }

  @Test
  @Rule("E8")
  void aClosedElectionLeavesNothingBehind() {
    LockService service = service();
    WeakReference<LeaderElection.Leader> gone = leadAndWaitOnce(service);
    Remains.assertForgotten(gone);
    assertEquals(List.of(), service.holds());
    assertEquals(List.of(), service.waits());
  }

  private static WeakReference<LeaderElection.Leader> leadAndWaitOnce(LockService service) {
    Candidate leader = Candidate.joined(service);
    Candidate waiting = Candidate.joined(service);
    waiting.election().close();
    CompletableFuture<Void> unused = leader.election().stepDown(PAUSE);
    leader.election().close();
    return new WeakReference<>(leader);
  }

  // The store fails

  @Test
  @Rule("E7")
  void aCandidateWhoseStoreFailsAsksAgainAfterTwiceTheTime() {
    try (LogCapture log = LogCapture.start()) {
      SpyBackend spy = new SpyBackend(link);
      LockService service = service(spy);
      link.set(FaultyBackend.Link.DOWN);
      Candidate candidate = Candidate.joined(service);
      assertEquals(1, spy.sent("acquire").size());
      List<Integer> seconds = List.of(1, 2, 4, 8, 16, 30, 30);
      for (int each : seconds) {
        spy.forget();
        store.advance(Duration.ofSeconds(each).minusMillis(1));
        assertEquals(0, spy.sent("acquire").size(), "before " + each);
        store.advance(Duration.ofMillis(1));
        assertEquals(1, spy.sent("acquire").size(), "after " + each);
      }
      assertEquals(1, log.lines("asks until it has").size(), log.text());
      assertEquals(List.of(), candidate.told);
      link.set(FaultyBackend.Link.UP);
      store.advance(LEASE);
      assertEquals(List.of("elected 1"), candidate.told);
    }
  }

  // Cost

  @Test
  @Rule({"E9", "L19"})
  void aLeaderSendsNothingButItsRenewals() {
    SpyBackend spy = new SpyBackend(store.backend());
    Candidate leader = Candidate.joined(service(spy));
    assertEquals(1, spy.sent("acquire").size());
    spy.forget();

    for (int i = 0; i < 60; i++) {
      store.advance(SECOND);
      assertTrue(leader.leads());
      assertTrue(leader.term() > 0);
    }

    assertEquals(6, spy.sent("renew").size());
    assertTrue(spy.toString().contains(", 6 calls,"), spy::toString);
  }

  @Test
  @Rule("E9")
  void aLeaderIsNoLongHoldToWarnOf() {
    try (LogCapture log = LogCapture.start()) {
      Candidate leader = candidate();
      store.advance(LEASE.multipliedBy(40));
      assertTrue(leader.leads());
      assertEquals(List.of(), log.lines("still renewed"));
    }
  }

  // Several servers

  @Test
  @Rule({"E1", "E2", "E8", "L16"})
  void aMajorityOfServersElectsToo() {
    List<InMemoryStore> stores = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      stores.add(i == 0 ? store : InMemoryStore.withMovableTime());
    }
    List<LockService> first = stores.stream().map(each -> service(each.backend())).toList();
    List<LockService> second = stores.stream().map(each -> service(each.backend())).toList();
    red(first).init();
    List<String> told = new ArrayList<>();
    List<String> toldNext = new ArrayList<>();
    LeaderElection leader = LeaderElection.join(red(first), noting(told));
    LeaderElection next = LeaderElection.join(red(second), noting(toldNext));
    assertTrue(leader.isLeader());
    assertFalse(next.isLeader());
    long term = leader.term().orElseThrow();

    first.get(2).close();

    assertEquals(List.of("elected", "revoked SERVICE_CLOSED"), told);
    stores.forEach(each -> each.advance(SECOND.multipliedBy(5)));
    assertFalse(leader.isLeader());
    assertTrue(next.isLeader());
    assertTrue(next.term().orElseThrow() > term);
    next.close();
    assertEquals(List.of("elected", "revoked"), toldNext);
  }

  @Test
  @Rule("E8")
  void aCandidateOfAMajorityLeavesAllQueuesWhenOneOfItsServicesIsClosed() {
    List<InMemoryStore> stores =
        List.of(store, InMemoryStore.withMovableTime(), InMemoryStore.withMovableTime());
    List<LockService> first = stores.stream().map(each -> service(each.backend())).toList();
    List<LockService> second = stores.stream().map(each -> service(each.backend())).toList();
    red(first).init();
    LeaderElection leader = LeaderElection.join(red(first), noting(new ArrayList<>()));
    LeaderElection next = LeaderElection.join(red(second), noting(new ArrayList<>()));
    assertTrue(leader.isLeader());
    assertEquals(1, first.get(0).getLock("r").getQueueLength());

    second.get(2).close();
    stores.forEach(each -> each.advance(SECOND));

    assertFalse(next.isLeader());
    assertEquals(0, first.get(0).getLock("r").getQueueLength());
    assertEquals(0, first.get(1).getLock("r").getQueueLength());
  }

  private static FencedRedLock red(List<LockService> services) {
    return RedLock.of(
            services.get(0).getLock("r"),
            services.get(1).getLock("r"),
            services.get(2).getLock("r"))
        .withQuarantine(Duration.ofMinutes(1))
        .fenced();
  }

  // Bad input

  @Test
  @Rule("L18")
  @SuppressWarnings("NullAway") // that is the bad input
  void badInputIsRefusedWithTheNextStep() {
    Candidate leader = candidate();
    assertThrows(NullPointerException.class, () -> LeaderElection.join(leader.lock, null));
    assertThrows(NullPointerException.class, () -> LeaderElection.join((FencedLock) null, leader));
    assertThrows(NullPointerException.class, () -> leader.election().stepDown(null));
    IllegalArgumentException tooLong =
        assertThrows(
            IllegalArgumentException.class,
            () -> leader.election().stepDown(Duration.ofDays(10_001)));
    assertTrue(String.valueOf(tooLong.getMessage()).contains("close the election"));
    FencedLock foreign =
        (FencedLock)
            Proxy.newProxyInstance(
                FencedLock.class.getClassLoader(),
                new Class<?>[] {FencedLock.class},
                (proxy, method, args) -> method.getName().equals("toString") ? "a mock" : null);
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> LeaderElection.join(foreign, leader));
    assertTrue(String.valueOf(refused.getMessage()).contains("getFencedLock"));
    assertLeads(leader);
    assertEquals(1, leader.elections());
  }
}
