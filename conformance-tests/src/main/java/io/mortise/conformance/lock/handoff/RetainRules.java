package io.mortise.conformance.lock.handoff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyMail;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.lock.fixture.ToldEvents;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A service with {@code retain}: it keeps a plain lock after the unlock, for its next thread. */
public abstract class RetainRules extends LockRules {
  private static final Duration TIME = Duration.ofMillis(10);

  protected RetainRules(LockKit kit) {
    super(kit);
  }

  private LockService retaining() {
    return service(builder -> builder.retain(TIME));
  }

  private static void pair(DistributedLock lock) {
    lock.lock();
    lock.unlock();
  }

  @Test
  @Rule({"L12", "L19"})
  void aServiceThatLocksAgainAtOnceNeedsNoCommand(Figures figures) {
    SpyBackend spy = new SpyBackend(backend());
    DistributedLock lock = service(spy, builder -> builder.retain(TIME)).getLock(name);

    for (int i = 0; i < 200; i++) {
      pair(lock);
    }

    int commands = spy.sent("acquire").size() + spy.sent("leave").size();
    figures.add("commands of 200 pairs of a service that retains", Integer.toString(commands));
    assertTrue(commands <= 100, () -> commands + " commands"); // of a busy machine; else 1 or 3
  }

  @Test
  @Rule({"L10", "L12"})
  void anotherServiceGetsTheLockWhenTheTimeIsOver() {
    DistributedLock mine = retaining().getLock(name);
    DistributedLock theirs = lock();
    pair(mine);

    Contender other = entering(theirs);
    passTimeUntil("the other service has the lock", SECOND, other::isInside);

    assertFalse(mine.tryLock());
    other.leave(theirs::unlock);
  }

  @Test
  @Rule("L12")
  void threadsThatTakeTheLockAgainDoNotKeepAnotherServiceOut() {
    FaultyBackend link = new FaultyBackend(this::backend);
    DistributedLock mine = service(link, builder -> builder.retain(TIME)).getLock(name);
    link.mail().set(FaultyMail.Fate.LOST); // else it gives the lock back when it is asked for it
    DistributedLock theirs = lock();
    pair(mine);
    Contender other = entering(theirs);
    Await.until("the other service has asked", () -> other.isInside() || isQueued(1));

    int taken = 0;
    while (mine.tryLock()) {
      mine.unlock();
      passTime(TIME.dividedBy(5));
      assertTrue(++taken < 500, "the lock is retained for longer than its time");
    }

    assertTrue(other.result());
    other.leave(theirs::unlock);
  }

  @Test
  @Rule({"L10", "L12"})
  void aLockThatOthersWaitedForIsNotRetained() {
    DistributedLock mine = retaining().getLock(name);
    DistributedLock second = retaining().getLock(name);
    DistributedLock third = retaining().getLock(name);
    mine.lock();
    Contender two = entering(second);
    awaitQueued(1);
    Contender three = entering(third);
    awaitQueued(2);
    passTime(TIME);

    mine.unlock();
    assertTrue(two.result());
    two.leave(second::unlock);

    assertTrue(three.result(), "no time has to pass");
    three.leave(third::unlock);
  }

  @Test
  @Rule({"L5", "L10"})
  void anAttemptOfAnotherServiceSucceedsWhenTheTimeIsOver() {
    pair(retaining().getLock(name));
    DistributedLock theirs = lock();

    passTimeUntil("the lock is free", SECOND, theirs::tryLock);

    assertTrue(theirs.isHeldByCurrentThread());
    theirs.unlock();
  }

  @Test
  @Rule({"L1", "L6"})
  void servicesThatRetainExcludeEachOther() throws InterruptedException {
    List<DistributedLock> locks =
        Stream.generate(() -> retaining().getLock(name)).limit(3).toList();
    int[] counter = new int[1];
    CountDownLatch done = new CountDownLatch(6);
    Crew crew =
        Crew.start(
            ThreadKind.PLATFORM,
            6,
            number -> {
              for (int i = 0; i < 100; i++) {
                DistributedLock lock = locks.get(number % 3);
                lock.lock();
                counter[0]++;
                lock.unlock();
              }
              done.countDown();
            });
    while (!done.await(1, TimeUnit.MILLISECONDS)) {
      passTime(Duration.ofMillis(1));
    }
    crew.join(Duration.ofSeconds(30));

    assertEquals(600, counter[0]);
  }

  @Test
  @Rule({"L1", "L10"})
  void allRequestsOfTheServiceSucceedThoughTheLockIsRetained() throws Exception {
    LockService service = retaining();
    DistributedLock lock = service.getLock(name);

    pair(lock);
    assertTrue(lock.tryLock(0, 5, TimeUnit.SECONDS), "with a fixed lease");
    lock.unlock();
    pair(lock);
    assertTrue(service.getFairLock(name).tryLock(), "fair");
    service.getFairLock(name).unlock();
    pair(lock);
    assertTrue(service.getFencedLock(name).tryLock(), "fenced");
    service.getFencedLock(name).unlock();
    pair(lock);
    lock.tryAcquire(Duration.ZERO).orElseThrow().close();
    pair(lock);
    lock.async().tryAcquire().get(15, TimeUnit.SECONDS).orElseThrow().close();
    pair(lock);
    assertTrue(lock.tryLock(), "plain");
    lock.unlock();
  }

  /** An attempt that does not wait. */
  private interface Attempt {
    boolean succeeds(LockService service, String lock) throws InterruptedException;
  }

  private static List<Attempt> attempts() {
    return List.of(
        (service, lock) -> service.getLock(lock).tryLock(),
        (service, lock) -> service.getLock(lock).tryLock(0, 5, TimeUnit.SECONDS),
        (service, lock) -> service.getFairLock(lock).tryLock(),
        (service, lock) -> MultiLock.of(service.getLock(lock)).tryLock(),
        (service, lock) -> service.getLock(lock).tryAcquire(Duration.ZERO).isPresent(),
        (service, lock) -> service.getLock(lock).async().tryAcquire().join().isPresent());
  }

  @Test
  @Rule({"L5", "L10"})
  void noAttemptIsRefusedByWhatItsOwnServiceGivesBack() {
    FaultyBackend link = new FaultyBackend(this::backend);
    LockService service = service(closing(link), builder -> builder.retain(TIME));
    int number = 0;
    for (Attempt attempt : attempts()) {
      String lock = name + '-' + number++;
      HeldCall leave = link.hold("leave");
      Contender before = // a thread of its own: a slow one gives the lock back itself
          contender(() -> {
            pair(service.getLock(lock));
            return true;
          });
      passTimeUntil("it goes back", SECOND, leave::isSent);
      Contender trying = contender(() -> attempt.succeeds(service, lock));

      List<Object> unused = leave.pass();

      assertTrue(trying.result(), () -> "at " + lock);
      before.leave(() -> {});
    }
  }

  /** The next thread has not asked for so long a lease. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"L7", "L12"})
  void whatANestedLockMadeLongerGoesBackToTheStore(boolean awaited) {
    DistributedLock mine = retaining().getLock(name);
    mine.lock();
    Contender waiting = awaited ? entering(mine) : null;
    mine.withLease(Duration.ofHours(1)).lock();
    mine.unlock();

    mine.unlock();

    Contender next = waiting == null ? entering(mine) : waiting;
    assertTrue(next.result());
    assertTrue(mine.remainTimeToLive() < Duration.ofMinutes(10).toMillis(), mine::toString);
    next.leave(mine::unlock);
  }

  @Test
  @Rule("L17")
  void aServiceThatClosesGivesTheLockBack() {
    LockService service = retaining();
    pair(service.getLock(name));

    service.close();

    assertTrue(lock().tryLock());
  }

  @Test
  @Rule({"L20", "L24"})
  void noListenerIsToldOfARetainedLock() {
    ToldEvents told = new ToldEvents();
    Queue<LeaseState> changes = new ConcurrentLinkedQueue<>();
    LockService service =
        service(builder -> builder.retain(TIME).listener(told).listener(noting(changes)));
    DistributedLock theirs = lock();
    pair(service.getLock(name));
    assertEquals(List.of(), service.holds());
    passTimeUntil("the lock is free", SECOND, () -> !theirs.isLocked());
    pair(service.getLock(name));

    boolean forced = theirs.forceUnlock(); // unless it went back before
    passTime(SECOND);

    assertEquals(
        List.of("acquired STORE", "released", "acquired STORE", "released"),
        told.all(),
        () -> "forced: " + forced);
    assertEquals(List.of(), List.copyOf(changes));
  }
}
