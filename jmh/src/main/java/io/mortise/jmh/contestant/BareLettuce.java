package io.mortise.jmh.contestant;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;

/** Lettuce alone, with one connection for all threads. */
final class BareLettuce implements Site {
  private final RedisClient client;
  private final RedisCommands<String, String> commands;
  private final String take;
  private final String give;
  private final long lease;

  BareLettuce(URI uri, Duration lease) {
    client = RedisClient.create(uri.toString());
    commands = client.connect().sync();
    take = commands.scriptLoad(BareLock.TAKE);
    give = commands.scriptLoad(BareLock.GIVE);
    this.lease = lease.toMillis();
  }

  @Override
  public Lock lock(String name) {
    return new BareLock(
        (keys, args) -> run(take, keys, args), (keys, args) -> run(give, keys, args), name, lease);
  }

  private Object run(String script, List<String> keys, List<String> args) {
    return commands.evalsha(
        script, ScriptOutputType.INTEGER, keys.toArray(String[]::new), args.toArray(String[]::new));
  }

  @Override
  public Lock readLock(String name) {
    return lock(BareLock.own(name));
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
