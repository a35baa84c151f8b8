package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.conformance.Rule;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a shared lock is left to clients of Redisson. */
@Rule("RS3")
class RedissonTurnTest extends SharedWithRedisson {
  private static final String ALIVE = "mortise:redisson:alive:{orders:42}";
  private static final Duration TURN = Duration.ofMillis(100);

  /** A pending lease request asks the store this long after the lock was left. */
  private static final Duration BEAT = Duration.ofMillis(150);

  @Test
  void aReleaseThatTheyHearLeavesThemTheLock() {
    Subscription listening = redissonListens();
    assertTrue(holder.tryLock());
    CompletableFuture<Lease> waiting = lock().async().acquire();

    holder.unlock();

    assertFalse(holder.tryLock(), "the lock is left to them");
    store.advance(TURN.dividedBy(2));
    assertFalse(waiting.isDone() || holder.isLocked());
    redissonLocks();
    store.advance(BEAT);
    assertFalse(waiting.isDone());
    redissonUnlocks();
    assertTrue(waiting.isDone(), "they have released it, and their message wakes the waiter");
    listening.close();
  }

  @Test
  void aLockThatTheyDoNotTakeIsGrantedAfterAWhile() {
    Subscription listening = redissonListens();
    assertTrue(holder.tryLock());
    CompletableFuture<Lease> waiting = lock().async().acquire();

    holder.unlock();
    store.advance(TURN.plus(BEAT));

    assertTrue(waiting.isDone());
    listening.close();
  }

  @Test
  void theLockIsLeftToThemAgainASecondLater() {
    Subscription listening = redissonListens();
    assertTrue(holder.tryLock());
    DistributedLock other = lock();
    CompletableFuture<Lease> first = other.async().acquire();
    holder.unlock();
    store.advance(TURN.plus(BEAT));

    CompletableFuture<Lease> second = holder.async().acquire();
    first.join().close();
    assertTrue(second.isDone(), "granted at once");

    store.advance(Duration.ofSeconds(1));
    CompletableFuture<Lease> third = other.async().acquire();
    second.join().close();
    assertFalse(third.isDone(), "the lock is left to them again");
    listening.close();
  }

  @Test
  void withAnEmptyQueueTheLockIsLeftToThemToo() {
    Subscription listening = redissonListens();
    assertTrue(holder.tryLock());

    holder.unlock();

    assertFalse(holder.tryLock());
    store.advance(TURN);
    assertTrue(holder.tryLock());
    listening.close();
  }

  @Test
  void ifNoneOfThemListensTheLockIsGrantedAtOnce() {
    assertTrue(holder.tryLock());
    CompletableFuture<Lease> waiting = lock().async().acquire();
    CompletableFuture<Lease> next = lock().async().acquire();

    holder.unlock();
    assertTrue(waiting.isDone());
    waiting.join().close();
    assertTrue(next.isDone());
  }

  @Test
  void aForcedUnlockLeavesTheLockToThem() {
    Subscription listening = redissonListens();
    assertTrue(holder.tryLock());
    CompletableFuture<Lease> waiting = lock().async().acquire();

    assertTrue(lock().forceUnlock());

    assertFalse(waiting.isDone());
    listening.close();
  }

  @Test
  void aWaiterThatGivesUpMeanwhileGrantsTheLockToNoOther() {
    Subscription listening = redissonListens();
    assertTrue(holder.tryLock());
    CompletableFuture<Lease> waiting = lock().async().acquire();
    CompletableFuture<Lease> next = lock().async().acquire();
    holder.unlock();

    assertTrue(waiting.cancel(false));

    assertFalse(next.isDone() || holder.isLocked());
    store.advance(TURN.plus(BEAT));
    assertTrue(next.isDone());
    listening.close();
  }

  @Test
  void aTimeFromBeforeTheClockStepDoesNotCount() {
    run(
        ALIVE,
        "redis.call('ZADD', KEYS[1], redis.call('TIME')[1] * 1000 + 3600000, '+')"
            + " return {redis.call('PEXPIRE', KEYS[1], 20000)}");

    assertTrue(holder.tryLock());
  }
}
