package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.FencedLock;
import io.mortise.LockService;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server whose clock steps back in the middle of a script, by more than any lease. A Redis up to
 * 7.0 compares expiries with the time at which the script began. So a key whose expiry the script
 * sets after the step may have expired for the rest of the script.
 */
public abstract class ClockStepRules extends LockRules {
  private static final Duration BACK = Duration.ofDays(-1);
  private static final Duration LEASE = Duration.ofHours(1);

  /**
   * Goes on when the clock has stepped back. It also ends soon on a server where time stands still
   * inside a script.
   */
  private static final String UNTIL_THE_STEP =
      """
      local before = tonumber(redis.call('TIME')[1])
      for _ = 1, 300000 do
        if tonumber(redis.call('TIME')[1]) < before then
          break
        end
      end
      """;

  private final RedisKit kit;
  private final RedisServer server = RedisServer.builder().movableClock().start();
  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected ClockStepRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  @BeforeEach
  void stopTheServerLast() {
    closeLast(server);
  }

  @Override
  public LockBackend backend() {
    return closing(kit.open(server.uri()));
  }

  private LockService mine() {
    return service(
        link, builder -> builder.leaseTime(LEASE).commandTimeout(Duration.ofSeconds(10)));
  }

  /**
   * Steps the clock back again and again while that script runs, so at least once in the middle of
   * it.
   */
  private void stepBackInside(String script, Runnable sends) {
    link.send(call -> call.script().name().equals(script) ? waiting(call) : call);
    AtomicBoolean done = new AtomicBoolean();
    Contender steps =
        Contender.startBusy(() -> {
          while (!done.get()) {
            server.stepClock(BACK);
            LockSupport.parkNanos(500_000);
          }
          return true;
        });
    try {
      sends.run();
    } finally {
      done.set(true);
      link.send(call -> call);
    }
    assertTrue(steps.result());
  }

  private static ScriptCall waiting(ScriptCall call) {
    Script script = Script.of(call.script().name(), UNTIL_THE_STEP + call.script().source());
    return new ScriptCall(script, call.keys(), call.args(), call.timeout());
  }

  private Contender waiting(DistributedLock side, long last) {
    Contender waiter = entering(side);
    Await.until(last + " wait", () -> sizeOf("mortise:rw:queue:{" + name + '}') == last);
    return waiter;
  }

  @Test
  @Rule({"L1", "RW1"})
  void aGrantedWriterKeepsTheReaderBehindItOut() {
    DistributedReadWriteLock mine = mine().getReadWriteLock(name);
    mine.readLock().lock();
    Contender writer = waiting(mine.writeLock(), 1);
    Contender reader = waiting(mine.readLock(), 2);

    stepBackInside("rw-leave", mine.readLock()::unlock);

    assertTrue(writer.result());
    assertFalse(reader.isInside(), "both threads hold the lock");
    assertTrue(mine.writeLock().isLocked());
    writer.leave(mine.writeLock()::unlock);
    assertTrue(reader.result());
    reader.leave(mine.readLock()::unlock);
  }

  @Test
  @Rule({"L1", "RW1"})
  void readersThatAreGrantedTogetherAllHoldTheLock() {
    DistributedReadWriteLock mine = mine().getReadWriteLock(name);
    mine.writeLock().lock();
    List<Contender> readers =
        IntStream.rangeClosed(1, 3).mapToObj(last -> waiting(mine.readLock(), last)).toList();

    stepBackInside("rw-leave", mine.writeLock()::unlock);

    readers.forEach(reader -> assertTrue(reader.result()));
    assertEquals(3, sizeOf("mortise:rw:readers:{" + name + '}'));
    readers.forEach(reader -> reader.leave(mine.readLock()::unlock));
  }

  @Test
  @Rule("L1")
  void anAttemptThatGrantsTheLockDoesNotTakeItToo() {
    DistributedLock held = mine().getLock(name);
    DistributedLock mine = mine().getFairLock(name);
    DistributedLock theirs = service().getFairLock(name);
    held.lock();
    Contender waiter = entering(theirs);
    awaitQueued(1);
    deleteKey();

    AtomicBoolean taken = new AtomicBoolean();
    stepBackInside("acquire", () -> taken.set(mine.tryLock()));

    assertFalse(taken.get(), "both threads hold the lock");
    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule({"L1", "L13"})
  void aFencedHoldIsThereAndHasItsToken() {
    FencedLock mine = mine().getFencedLock(name);
    long before = mine.lockAndGetToken();
    mine.unlock();

    stepBackInside("acquire", mine::lock);

    assertTrue(mine.isLocked());
    assertTrue(mine.fencingToken() > before);
    mine.unlock();
  }
}
