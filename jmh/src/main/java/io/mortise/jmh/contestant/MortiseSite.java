package io.mortise.jmh.contestant;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

/** Mortise, on one of its backends. */
record MortiseSite(LockService service) implements Site, LockClient {
  static Site open(URI uri, Duration lease, String provider) {
    return new MortiseSite(builder(uri, lease, provider).open());
  }

  static Site retaining(URI uri, Duration lease, String provider) {
    return new MortiseSite(builder(uri, lease, provider).retain(Duration.ofMillis(500)).open());
  }

  static LockClient client(ClientSettings settings, String provider) {
    return new MortiseSite(
        builder(settings.uri(), settings.lease(), settings.commandTimeout(), provider).open());
  }

  private static LockService.Builder builder(URI uri, Duration lease, String provider) {
    return builder(uri, lease, Duration.ofSeconds(2), provider);
  }

  private static LockService.Builder builder(
      URI uri, Duration lease, Duration timeout, String provider) {
    return LockService.builder()
        .uri(uri.toString())
        .provider(provider)
        .leaseTime(lease)
        .commandTimeout(timeout);
  }

  @Override
  public Lock lock(String name) {
    return service.getLock(name);
  }

  @Override
  public Lock fairLock(String name) {
    return service.getFairLock("fair:" + name);
  }

  @Override
  public Lock readLock(String name) {
    return service.getReadWriteLock(name).readLock();
  }

  @Override
  public Semaphore semaphore(String name, int permits) {
    DistributedSemaphore semaphore = service.getSemaphore(name);
    semaphore.trySetPermits(permits);
    return () -> semaphore.acquire()::close;
  }

  @Override
  public Lock redLock(String name, List<Site> members) {
    return RedLock.of(
        members.stream()
            .map(site -> ((MortiseSite) site).service.getLock(name))
            .toArray(LeasedLock[]::new));
  }

  @Override
  public CompletionStage<?> acquire(String name) {
    return service.getLock(name).async().acquire();
  }

  @Override
  public CompletionStage<?> claim(String name) {
    return service.getLock(name).async().acquire().thenCompose(Lease::releaseAsync);
  }

  @Override
  public CompletionStage<?> passThrough(String name) {
    return service.getFairLock("fair:" + name).async().acquire().thenCompose(Lease::releaseAsync);
  }

  @Override
  public void close() {
    service.close();
  }

  @Override
  public Mutex mutex(String name) {
    return new Handle(service.getLock(name));
  }

  @Override
  public Lock lock(ComparedLock kind, String name) {
    return switch (kind) {
      case PLAIN -> service.getLock(name);
      case FAIR -> service.getFairLock(name);
      case FENCED -> service.getFencedLock(name);
      case READ -> service.getReadWriteLock(name).readLock();
      case WRITE -> service.getReadWriteLock(name).writeLock();
      case RED -> RedLock.of(three(name));
      case MULTI -> MultiLock.of(three(name));
    };
  }

  private LeasedLock[] three(String name) {
    return new LeasedLock[] {
      service.getLock(name), service.getLock(name + "-2"), service.getLock(name + "-3")
    };
  }

  private record Handle(DistributedLock mine) implements Mutex {
    @Override
    public Lock lock() {
      return mine;
    }

    @Override
    public String key() {
      return "mortise:lock:{" + mine.name() + "}";
    }

    @Override
    public void lockFor(Duration lease) {
      mine.lock(lease);
    }

    @Override
    public int holdCount() {
      return mine.getHoldCount();
    }

    @Override
    public boolean forceUnlock() {
      return mine.forceUnlock();
    }
  }
}
