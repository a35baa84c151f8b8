package io.mortise.jmh.contestant;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * The least that two commands can do for a lock. It is neither reentrant nor renewed, and has no
 * waiters.
 */
final class BareLock implements Lock {
  static final String TAKE =
      "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end return 0";
  static final String GIVE =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

  /** Runs one of the two scripts. */
  interface Runner {
    Object run(List<String> keys, List<String> args);
  }

  private static final AtomicInteger NAMES = new AtomicInteger();

  private final Runner take;
  private final Runner give;
  private final List<String> keys;
  private final List<String> takeArgs;
  private final List<String> giveArgs;

  BareLock(Runner take, Runner give, String name, long leaseMillis) {
    this.take = take;
    this.give = give;
    keys = List.of("bare:" + name);
    takeArgs = List.of("owner", String.valueOf(leaseMillis));
    giveArgs = List.of("owner");
  }

  /** A unique name, where other contestants share a lock. */
  static String own(String name) {
    return name + '-' + NAMES.incrementAndGet();
  }

  @Override
  public void lock() {
    require(take.run(keys, takeArgs), "is taken");
  }

  @Override
  public void unlock() {
    require(give.run(keys, giveArgs), "was not held");
  }

  private void require(Object reply, String otherwise) {
    if (!Long.valueOf(1).equals(reply)) {
      throw new IllegalStateException(keys + " " + otherwise);
    }
  }

  @Override
  public void lockInterruptibly() {
    lock();
  }

  @Override
  public boolean tryLock() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException();
  }
}
