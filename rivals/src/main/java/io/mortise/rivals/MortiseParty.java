package io.mortise.rivals;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** Mortise on Jedis. */
final class MortiseParty implements Party {
  @Override
  public String name() {
    return "Mortise " + LockService.class.getPackage().getImplementationVersion();
  }

  @Override
  public Client open(Settings settings) {
    return new Opened(
        LockService.builder()
            .uri(settings.uri().toString())
            .provider("jedis")
            .leaseTime(settings.lease())
            .commandTimeout(settings.commandTimeout())
            .open());
  }

  private record Opened(LockService service) implements Client {
    @Override
    public Mutex mutex(String name) {
      return new Handle(service.getLock(name));
    }

    @Override
    public Lock lock(Kind kind, String name) {
      return switch (kind) {
        case PLAIN -> service.getLock(name);
        case FAIR -> service.getFairLock(name);
        case FENCED -> service.getFencedLock(name);
        case READ -> service.getReadWriteLock(name).readLock();
        case WRITE -> service.getReadWriteLock(name).writeLock();
        case RED ->
            RedLock.of(
                service.getLock(name), service.getLock(name + "-2"), service.getLock(name + "-3"));
        case MULTI ->
            MultiLock.of(
                service.getLock(name), service.getLock(name + "-2"), service.getLock(name + "-3"));
      };
    }

    @Override
    public void close() {
      service.close();
    }
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
      mine.lock(lease.toMillis(), TimeUnit.MILLISECONDS);
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
