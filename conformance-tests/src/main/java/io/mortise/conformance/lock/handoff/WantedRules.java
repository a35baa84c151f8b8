package io.mortise.conformance.lock.handoff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.ScriptedClient;
import io.mortise.conformance.lock.fixture.ToldEvents;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A service keeps a lock until another one asks for it. It is retained for long here, so that only
 * a message can bring it back.
 */
public abstract class WantedRules extends LockRules {
  /** Half of the lease time. */
  private static final Duration LONG = Duration.ofSeconds(15);

  /** Longer than two re-checks, and much shorter than that. */
  private static final Duration RECHECKS = Duration.ofSeconds(6);

  private static final int ROUNDS = 20;

  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected WantedRules(LockKit kit) {
    super(kit);
  }

  private LockService retaining() {
    return service(builder -> builder.retain(LONG));
  }

  /** A service that retains, and whose messages the test can lose. */
  private DistributedLock linked() {
    return service(link, builder -> builder.retain(LONG)).getLock(name);
  }

  private static void pair(DistributedLock lock) {
    lock.lock();
    lock.unlock();
  }

  @Test
  @Rule({"L10", "L12", "L20"})
  void aLockThatNobodyUsesGoesToTheServiceThatWantsIt() {
    ToldEvents told = new ToldEvents();
    DistributedLock mine = service(builder -> builder.retain(LONG).listener(told)).getLock(name);
    DistributedLock theirs = lock();
    pair(mine);

    Contender other = entering(theirs);

    assertTrue(other.result(), "no time has to pass");
    other.leave(theirs::unlock);
    assertEquals(List.of("acquired STORE", "released"), told.all());
  }

  /** A busy machine may take longer than the time for a recall, now and then. */
  @Test
  @Rule({"L5", "L12"})
  void anAttemptThatDoesNotWaitGetsALockThatNobodyUses(Figures figures) throws Exception {
    DistributedLock mine = retaining().getLock(name);
    LockService other = service();
    DistributedLock theirs = other.getLock(name);
    List<Callable<Boolean>> ways = attemptsThatDoNotWait(other);
    int got = 0;
    int tries = 0;
    for (int i = 0; i < ROUNDS; i++) {
      for (Callable<Boolean> way : ways) {
        pair(mine);
        assertTrue(theirs.isLocked(), "it is retained");
        got += way.call() ? 1 : 0;
        tries++;
      }
    }

    figures.add("attempts that got a retained lock", got + " of " + tries);
    assertTrue(got > tries / 2, got + " of " + tries);
  }

  /** Each tells whether it got the lock, which is free then. */
  private List<Callable<Boolean>> attemptsThatDoNotWait(LockService other) {
    DistributedLock theirs = other.getLock(name);
    MultiLock several = MultiLock.of(theirs, other.getLock(name + "-too"));
    return List.of(
        () -> freed(theirs, theirs.tryLock()),
        () -> freed(theirs, theirs.tryLock(0, TimeUnit.SECONDS)),
        () -> freed(theirs, other.getFairLock(name).tryLock()),
        () -> freed(theirs, other.getFencedLock(name).tryLock()),
        () -> freed(theirs, theirs.tryLock(0, 10, TimeUnit.SECONDS)),
        () -> {
          boolean both = several.tryLock();
          if (both) {
            several.unlock();
          }
          return both;
        },
        () -> theirs.tryAcquire(Duration.ZERO).map(WantedRules::closed).isPresent(),
        () ->
            several.async().tryAcquire().toCompletableFuture().get(15, TimeUnit.SECONDS).stream()
                .anyMatch(WantedRules::closed));
  }

  private static boolean freed(DistributedLock lock, boolean acquired) {
    if (acquired) {
      lock.unlock();
    }
    return acquired;
  }

  private static boolean closed(Lease lease) {
    lease.close();
    return true;
  }

  @Test
  @Rule("L5")
  void anAttemptWhileSomebodyIsInsideIsRefusedAndTheNextOneAtOnce() {
    DistributedLock mine = retaining().getLock(name);
    DistributedLock theirs = lock();
    mine.lock();

    Contender first = Contender.startBusy(theirs::tryLock);
    Await.until("the attempt is refused", () -> endsAsTimePasses(first.thread()));
    assertFalse(first.result());

    assertFalse(theirs.tryLock(), "no time has to pass");
    mine.unlock();
    Await.until("the lock is free", theirs::tryLock);
  }

  /** It may take a while until the thread parks, so time passes in small steps. */
  private boolean endsAsTimePasses(Thread thread) {
    passTime(Duration.ofMillis(10));
    return !thread.isAlive();
  }

  @Test
  @Rule({"L5", "L19"})
  void anAttemptAtALockThatIsOnlyHandedOffIsRefusedAtOnce() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();

    assertFalse(theirs.tryLock(), "no time has to pass");
  }

  @Test
  @Rule({"L11", "L12"})
  void noneOfSeveralServicesRetainsALockThatAnotherWaitsFor() {
    List<DistributedLock> locks =
        Stream.generate(() -> retaining().getLock(name)).limit(4).toList();
    pair(locks.get(0));
    locks.get(0).lock();
    List<Contender> waiting = new ArrayList<>();
    for (int i = 1; i < locks.size(); i++) {
      waiting.add(entering(locks.get(i)));
      awaitQueued(i);
    }

    locks.get(0).unlock();

    for (int i = 1; i < locks.size(); i++) {
      assertTrue(waiting.get(i - 1).result(), "no time has to pass");
      waiting.get(i - 1).leave(locks.get(i)::unlock);
    }
  }

  /** The waiter has asked for the hold before, and will not ask for this one soon. */
  @Test
  @Rule({"L11", "L12"})
  void aLockThatIsTakenBesideTheQueueIsNotRetained() {
    pair(service(link, builder -> builder).getLock(name)); // the played processes use its script
    ScriptedClient owner = new ScriptedClient(backend(), link, name, "owner");
    ScriptedClient waiter = new ScriptedClient(backend(), link, name, "waiter").listening();
    assertEquals(List.of("HELD"), owner.ask(1));
    waiter.assertWaits(1);
    assertEquals(List.of(1L), run("return redis.call('DEL', KEYS[1])"), "its hold is lost");
    DistributedLock mine = retaining().getLock(name);

    assertTrue(mine.tryLock());
    mine.unlock();

    assertEquals(List.of(waiter.id(1)), run("return redis.call('HKEYS', KEYS[1])"));
  }

  @Test
  @Rule({"L10", "L12"})
  void aMessageThatIsLostIsSentAgain() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    pair(mine);
    link.mail().set(Fate.LOST);
    Contender other = entering(theirs);
    awaitQueued(1);

    link.mail().set(Fate.COMES);
    passTimeUntil("the waiter has asked again", RECHECKS, other::isInside);

    other.leave(theirs::unlock);
  }

  @Test
  @Rule("L12")
  void aMessageThatComesTwiceOrLateDoesNoHarm() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    pair(mine);
    link.mail().set(Fate.TWICE);
    Contender other = entering(theirs);
    assertTrue(other.result());
    other.leave(theirs::unlock);
    pair(mine);

    link.mail().deliver();

    assertTrue(mine.isLocked(), "the message was about the hold before");
    assertTrue(mine.tryLock());
    mine.unlock();
  }

  @Test
  @Rule("L12")
  void aServiceIsAskedOnceInASecondByAllThatWaitTogether(Figures figures) {
    DistributedLock mine = linked();
    mine.lock();
    link.mail().set(Fate.LATE);
    long start = System.nanoTime();
    LockService other = service();
    DistributedLock theirs = lock();
    List<Contender> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(
          contender(() -> {
            other.getFairLock(name).lock();
            return true;
          }));
      assertFalse(theirs.tryLock());
    }

    int asked = link.mail().kept();
    long seconds = (System.nanoTime() - start) / 1_000_000_000;
    figures.add("messages for a lock that 20 want at a time", Integer.toString(asked));
    assertTrue(asked >= 1 && asked <= 1 + seconds, asked + " messages in " + seconds + " s");
    link.mail().set(Fate.COMES);
    link.mail().deliver();
    mine.unlock();
    waiting.forEach(each -> {
      assertTrue(each.result());
      each.leave(other.getFairLock(name)::unlock);
    });
  }

  @Test
  @Rule("L12")
  void aServiceThatHearsNothingKeepsAnotherOutForASecond() throws InterruptedException {
    DistributedLock busy = service(link, builder -> builder).getLock(name);
    link.mail().set(Fate.LOST);
    DistributedLock theirs = lock();
    AtomicBoolean done = new AtomicBoolean();
    CountDownLatch ended = new CountDownLatch(4);
    Crew crew =
        Crew.start(
            ThreadKind.PLATFORM,
            4,
            number -> {
              while (!done.get()) {
                pair(busy);
              }
              ended.countDown();
            });
    try {
      Contender other =
          Contender.startBusy(() -> {
            theirs.lock();
            return true;
          });
      passTimeUntil("the other service has the lock", RECHECKS, other::isInside);
      other.leave(theirs::unlock);
    } finally {
      done.set(true);
    }
    passTimeUntil("the service has asked again", RECHECKS, () -> ended.getCount() == 0);
    crew.join(Duration.ofSeconds(30));
  }

  @Test
  @Rule({"L10", "L12"})
  void aServiceThatMayMissMessagesGivesBackWhatNobodyUses() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    pair(mine);

    link.mail().cut();

    Await.until("the lock is free", () -> !theirs.isLocked());
    pair(mine);
    Await.until("nothing is retained meanwhile", () -> !theirs.isLocked());
    link.mail().join();
    Await.until(
        "it is retained again",
        () -> {
          pair(mine);
          return theirs.isLocked();
        });
  }

  @Test
  @Rule("L12")
  void aLockThatWasTakenWhileMessagesWereMissedIsNotRetained() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    HeldCall taking = link.hold("acquire");
    Contender holder = entering(mine);
    taking.awaitSent();
    List<Object> unused = taking.arrive();
    link.mail().cut();
    link.mail().join();
    taking.reply();
    assertTrue(holder.result());

    holder.leave(mine::unlock);

    assertFalse(theirs.isLocked());
  }

  @Test
  @Rule({"L1", "L12"})
  void aHoldWithoutItsKeyIsNotTakenForLongerThanItsTime() {
    Duration time = Duration.ofMillis(500);
    DistributedLock mine = service(builder -> builder.retain(time)).getLock(name);
    DistributedLock theirs = lock();
    pair(mine);
    deleteKey();
    theirs.lock();

    passTime(time);

    assertFalse(mine.tryLock());
    theirs.unlock();
  }

  @Test
  @Rule("L17")
  void aServiceThatClosesGivesAThousandLocksBack() {
    LockService service = retaining();
    LockService other = service();
    List<String> names = Stream.iterate(0, i -> i + 1).limit(1_000).map(i -> name + i).toList();
    names.forEach(each -> pair(service.getLock(each)));
    assertTrue(other.getLock(names.get(999)).isLocked());

    service.close();

    assertEquals(List.of(), names.stream().filter(each -> other.getLock(each).isLocked()).toList());
  }

  // Older versions
}
