package io.mortise.jmh.contestant;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson. */
final class RedissonSite implements Site {
  /** One of Redisson's two semaphores. */
  interface Semaphores {
    Semaphore make(RedissonClient client, String name, int permits);
  }

  private final RedissonClient client;
  private final Semaphores semaphores;
  private final AtomicLong owners = new AtomicLong();

  private RedissonSite(URI uri, Duration lease, Semaphores semaphores) {
    Config config = new Config();
    config.setLockWatchdogTimeout(lease.toMillis());
    config.useSingleServer().setAddress(uri.toString());
    client = Redisson.create(config);
    this.semaphores = semaphores;
  }

  /** Opens Redisson with permits that expire, as Mortise's do. */
  static RedissonSite open(URI uri, Duration lease) {
    return new RedissonSite(
        uri,
        lease,
        (client, name, permits) -> {
          RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(name);
          semaphore.trySetPermits(permits);
          return () -> {
            String id = semaphore.acquire(lease.toMillis(), TimeUnit.MILLISECONDS);
            return () -> semaphore.release(id);
          };
        });
  }

  /** Opens Redisson with permits that are lost when their owner dies. */
  static RedissonSite withPlainPermits(URI uri, Duration lease) {
    return new RedissonSite(
        uri,
        lease,
        (client, name, permits) -> {
          RSemaphore semaphore = client.getSemaphore("plain:" + name);
          semaphore.trySetPermits(permits);
          return () -> {
            semaphore.acquire();
            return semaphore::release;
          };
        });
  }

  @Override
  public Lock lock(String name) {
    return client.getLock(name);
  }

  @Override
  public Lock fairLock(String name) {
    return client.getFairLock("fair:" + name);
  }

  @Override
  public Lock readLock(String name) {
    return client.getReadWriteLock("rw:" + name).readLock();
  }

  @Override
  public Semaphore semaphore(String name, int permits) {
    return semaphores.make(client, name, permits);
  }

  @Override
  @SuppressWarnings("deprecation") // its only Redlock
  public Lock redLock(String name, List<Site> members) {
    return client.getRedLock(
        members.stream()
            .map(site -> ((RedissonSite) site).client.getLock(name))
            .toArray(RLock[]::new));
  }

  /** Acquires under a number of its own, as a thread of its own would. */
  @Override
  public CompletionStage<?> passThrough(String name) {
    RLock lock = client.getFairLock("fair:" + name);
    long owner = owners.incrementAndGet();
    return lock.lockAsync(owner).thenCompose(nothing -> lock.unlockAsync(owner));
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
