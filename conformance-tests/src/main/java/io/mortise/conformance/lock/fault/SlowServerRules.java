package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockException;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.redis.TcpProxy.Direction;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deadlines and interrupts while commands are slow, hang, or cannot be sent. */
public abstract class SlowServerRules extends LockRules {
  private static final Duration WAIT = Duration.ofMillis(500);
  private static final Duration COMMAND = Duration.ofSeconds(1);
  private static final Duration DELAY = Duration.ofMillis(100);
  private static final Duration SLACK = Duration.ofSeconds(3);

  private final TcpProxy proxy;
  private final RedisKit kit;

  protected SlowServerRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
    proxy = TcpProxy.to(kit.server());
  }

  @BeforeEach
  void closeProxy() {
    closeLast(proxy);
  }

  /** A lock behind the proxy. The server knows its scripts, so each call is one command. */
  private DistributedLock proxied() {
    DistributedLock mine =
        service(closing(kit.open(proxy.uri())), builder -> builder.commandTimeout(COMMAND))
            .getLock(name);
    mine.lock();
    mine.unlock();
    return mine;
  }

  /**
   * Asserts that the attempt takes at least that long, and at most one command and some seconds
   * more.
   */
  private static <T> T timed(Duration least, Callable<T> attempt) throws Exception {
    long start = System.nanoTime();
    T result = attempt.call();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(least) >= 0, "it took only " + took);
    assertTrue(took.compareTo(least.plus(COMMAND).plus(SLACK)) < 0, "it took " + took);
    return result;
  }

  private static boolean tryFor(DistributedLock lock, Duration wait) throws InterruptedException {
    return lock.tryLock(wait);
  }

  @Test
  @Rule("L18")
  void aServiceOpensOnAServerThatIsSlowerThanItsCommandTimeout() {
    proxy.delay(Direction.REPLIES, WAIT);

    service(closing(kit.open(proxy.uri())), builder -> builder.commandTimeout(DELAY));
  }

  @Test
  @Rule("L5")
  void aTimedAttemptOnAServerThatIsDownFailsAtItsDeadline() throws Exception {
    DistributedLock mine = proxied();
    proxy.refuse();
    proxy.cut();

    timed(WAIT, () -> assertThrows(LockException.class, () -> tryFor(mine, WAIT)));
    timed(Duration.ZERO, () -> assertThrows(LockException.class, mine::tryLock));
  }

  @Test
  @Rule({"L5", "L14"})
  void aTimedAttemptOnAServerThatHangsFailsAtItsDeadlineAndIsWithdrawn() throws Exception {
    DistributedLock mine = proxied();
    DistributedLock theirs = lock();
    proxy.stall(Direction.REPLIES);

    Throwable failure =
        timed(
            WAIT,
            () -> {
              Contender attempt = Contender.startBusy(() -> tryFor(mine, WAIT));
              Await.until("the server executes the acquire all the same", theirs::isLocked);
              return attempt.failure();
            });
    assertInstanceOf(OutcomeUnknownException.class, failure);
    proxy.resume();

    Await.until("the acquisition is withdrawn", theirs::tryLock);
    theirs.unlock();
  }

  @Test
  @Rule("L5")
  void aTimedAttemptOnASlowServerKeepsItsDeadline() throws Exception {
    DistributedLock mine = proxied();
    DistributedLock theirs = lock();
    proxy.delay(Direction.REPLIES, DELAY);

    assertTrue(timed(Duration.ZERO, () -> tryFor(mine, WAIT)), "the lock is free");
    mine.unlock();
    theirs.lock();
    assertFalse(timed(WAIT, () -> tryFor(mine, WAIT)), "the lock is held");
    assertFalse(
        timed(Duration.ZERO, () -> tryFor(mine, DELAY.dividedBy(10))), "the lock is still held");
    theirs.unlock();
  }

  /** Runs the task on a thread that is interrupted during its first command. */
  private void interruptedInACommand(ThreadKind threads, Crew.Task task) throws Exception {
    proxy.stall(Direction.REPLIES);
    Crew crew = Crew.start(threads, 1, task);
    Await.until("the server executed the command", () -> lock().isLocked());
    crew.first().interrupt();
    LockSupport.parkNanos(20_000_000); // an interrupt must not end the command
    proxy.resume();
    crew.join(Duration.ofSeconds(15));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("L4")
  void aThreadInterruptedInACommandHasTheLockAndItsFlag(ThreadKind threads) throws Exception {
    DistributedLock mine = proxied();

    interruptedInACommand(
        threads,
        number -> {
          mine.lock();
          assertTrue(Thread.currentThread().isInterrupted(), "after lock");
          mine.unlock();
          assertTrue(Thread.interrupted(), "after unlock");
        });

    assertFalse(mine.isLocked());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L4", "W1"})
  void anInterruptibleThreadInterruptedInACommandLeavesNothingHeld(ThreadKind threads)
      throws Exception {
    DistributedLock mine = proxied();

    interruptedInACommand(
        threads,
        number -> {
          try {
            mine.lockInterruptibly();
            mine.unlock();
          } catch (InterruptedException e) {
            // Both outcomes are right, but not together.
          }
        });

    Await.until("the lock is free", () -> !mine.isLocked());
  }
}
