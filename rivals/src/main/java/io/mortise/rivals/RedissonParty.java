package io.mortise.rivals;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

/** Redisson's {@code RLock}. Everything but the lease and the command timeout is at its default. */
final class RedissonParty implements Party {
  @Override
  public String name() {
    return "Redisson " + Redisson.class.getPackage().getImplementationVersion();
  }

  @Override
  public Client open(Settings settings) {
    Config config = new Config();
    config.useSingleServer().setAddress(settings.uri().toString());
    return open(config, config.useSingleServer(), settings);
  }

  /** In this mode Redisson sends an acquire without a reply again. */
  @Override
  public Client openReplicated(Settings settings) {
    Config config = new Config();
    config.useReplicatedServers().addNodeAddress(settings.uri().toString());
    return open(config, config.useReplicatedServers(), settings);
  }

  private static Client open(Config config, BaseConfig<?> mode, Settings settings) {
    config.setLockWatchdogTimeout(settings.lease().toMillis());
    mode.setTimeout(Math.toIntExact(settings.commandTimeout().toMillis()));
    return new Opened(Redisson.create(config));
  }

  private record Opened(RedissonClient client) implements Client {
    @Override
    public Mutex mutex(String name) {
      return new Handle(client.getLock(name));
    }

    @Override
    @SuppressWarnings("deprecation") // its only Redlock
    public Lock lock(Kind kind, String name) {
      return switch (kind) {
        case PLAIN -> client.getLock(name);
        case FAIR -> client.getFairLock(name);
        case FENCED -> client.getFencedLock(name);
        case READ -> client.getReadWriteLock(name).readLock();
        case WRITE -> client.getReadWriteLock(name).writeLock();
        case RED ->
            client.getRedLock(
                client.getLock(name), client.getLock(name + "-2"), client.getLock(name + "-3"));
        case MULTI ->
            client.getMultiLock(
                client.getLock(name), client.getLock(name + "-2"), client.getLock(name + "-3"));
      };
    }

    @Override
    public void close() {
      client.shutdown();
    }
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
