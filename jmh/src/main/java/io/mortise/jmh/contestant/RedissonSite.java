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
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

/** Redisson. */
final class RedissonSite implements Site, LockClient {
  /** One of Redisson's two semaphores. */
  interface Semaphores {
    Semaphore make(RedissonClient client, String name, int permits);
  }

  private static final Semaphores NO_SEMAPHORES =
      (client, name, permits) -> {
        throw new UnsupportedOperationException("no semaphore in this comparison");
      };

  private final RedissonClient client;
  private final Semaphores semaphores;
  private final AtomicLong owners = new AtomicLong();

  private RedissonSite(RedissonClient client, Semaphores semaphores) {
    this.client = client;
    this.semaphores = semaphores;
  }

  private static RedissonClient client(URI uri, Duration lease) {
    Config config = new Config();
    config.setLockWatchdogTimeout(lease.toMillis());
    if (ClusterNodes.isCluster(uri)) {
      ClusterNodes.of(uri)
          .forEach(node -> config.useClusterServers().addNodeAddress("redis://" + node));
    } else {
      config.useSingleServer().setAddress(uri.toString());
    }
    return Redisson.create(config);
  }

  static LockClient open(ClientSettings settings) {
    Config config = new Config();
    config.useSingleServer().setAddress(settings.uri().toString());
    return open(config, config.useSingleServer(), settings);
  }

  /** In this mode Redisson sends an acquire without an answer again. */
  static LockClient openReplicated(ClientSettings settings) {
    Config config = new Config();
    config.useReplicatedServers().addNodeAddress(settings.uri().toString());
    return open(config, config.useReplicatedServers(), settings);
  }

  private static LockClient open(Config config, BaseConfig<?> mode, ClientSettings settings) {
    config.setLockWatchdogTimeout(settings.lease().toMillis());
    mode.setTimeout(Math.toIntExact(settings.commandTimeout().toMillis()));
    return new RedissonSite(Redisson.create(config), NO_SEMAPHORES);
  }

  /** Opens Redisson with permits that expire, as Mortise's do. */
  static RedissonSite open(URI uri, Duration lease) {
    return new RedissonSite(
        client(uri, lease),
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
        client(uri, lease),
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
  public CompletionStage<?> acquire(String name) {
    return client.getLock(name).lockAsync(owners.incrementAndGet());
  }

  @Override
  public CompletionStage<?> claim(String name) {
    return passThrough(client.getLock(name));
  }

  @Override
  public CompletionStage<?> passThrough(String name) {
    return passThrough(client.getFairLock("fair:" + name));
  }

  /** Acquires under a number of its own, as a thread of its own would. */
  private CompletionStage<?> passThrough(RLock lock) {
    long owner = owners.incrementAndGet();
    return lock.lockAsync(owner).thenCompose(nothing -> lock.unlockAsync(owner));
  }

  @Override
  public void close() {
    client.shutdown();
  }

  @Override
  public Mutex mutex(String name) {
    return new Handle(client.getLock(name));
  }

  @Override
  @SuppressWarnings("deprecation") // its Redlock; there is no other
  public Lock lock(ComparedLock kind, String name) {
    return switch (kind) {
      case PLAIN -> client.getLock(name);
      case FAIR -> client.getFairLock(name);
      case FENCED -> client.getFencedLock(name);
      case READ -> client.getReadWriteLock(name).readLock();
      case WRITE -> client.getReadWriteLock(name).writeLock();
      case RED -> client.getRedLock(three(name));
      case MULTI -> client.getMultiLock(three(name));
    };
  }

  private RLock[] three(String name) {
    return new RLock[] {
      client.getLock(name), client.getLock(name + "-2"), client.getLock(name + "-3")
    };
  }

  private record Handle(RLock theirs) implements Mutex {
    @Override
    public Lock lock() {
      return theirs;
    }

    @Override
    public String key() {
      return theirs.getName();
    }

    @Override
    public void lockFor(Duration lease) {
      theirs.lock(lease.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public int holdCount() {
      return theirs.getHoldCount();
    }

    @Override
    public boolean forceUnlock() {
      return theirs.forceUnlock();
    }
  }
}
