package io.mortise.backend.inmemory;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The memory store's server: keys, channels, commands and scripts behind one lock. */
final class Server {
  private final ReentrantLock lock;
  private final Keyspace keyspace;
  private final Channels channels = new Channels();
  private final CommandTable commands = new CommandTable();
  private final LuaRuntime runtime = new LuaRuntime(commands);

  /** Creates a server without keys, whose clock shows {@code start} and follows the time source. */
  Server(ReentrantLock lock, TimeSource time, Instant start) {
    this.lock = lock;
    keyspace = new Keyspace(time, ChronoUnit.MICROS.between(Instant.EPOCH, start));
    new KeyCommands(keyspace, channels).addTo(commands);
    new ServerCommands(keyspace).addTo(commands);
    new StringCommands(keyspace).addTo(commands);
    new HashCommands(keyspace).addTo(commands);
    new SortedSetCommands(keyspace).addTo(commands);
  }

  /** Runs the script alone. Then delivers its published messages, without the lock. */
  List<Object> run(InMemoryBackend client, ScriptCall call) {
    lock.lock();
    try {
      client.ensureOpen();
      keyspace.readClock();
      return runtime.run(call);
    } catch (CommandException e) {
      throw new BackendException(Outcome.REPLIED, e.reply(), e);
    } finally {
      List<ChannelSubscription> reached = channels.takeOutgoing();
      lock.unlock();
      reached.forEach(ChannelSubscription::deliver);
    }
  }

  void subscribe(ChannelSubscription subscription) {
    withLock(() -> {
      subscription.client().ensureOpen();
      channels.add(subscription);
    });
  }

  void unsubscribe(ChannelSubscription subscription) {
    withLock(() -> channels.remove(subscription));
  }

  Set<String> keys() {
    return read(() -> {
      keyspace.readClock();
      return keyspace.keys();
    });
  }

  Set<String> channels() {
    return read(channels::names);
  }

  Map<String, Long> commandCounts() {
    return read(commands::counts);
  }

  Map<String, Long> scriptCounts() {
    return read(runtime::counts);
  }

  void resetCounts() {
    withLock(() -> {
      commands.resetCounts();
      runtime.resetCounts();
    });
  }

  /** Runs an action before every command of a script. */
  void beforeEachCommand(Runnable action) {
    withLock(() -> commands.beforeEach(action));
  }

  /** Sets the clock forward, or back if negative. Works also while a script runs. */
  void stepClock(Duration by) {
    withLock(() -> keyspace.stepClock(TimeUnit.MICROSECONDS.convert(by)));
  }

  /** Runs an action while no script runs. */
  void withLock(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  private <T> T read(Supplier<T> question) {
    lock.lock();
    try {
      return question.get();
    } finally {
      lock.unlock();
    }
  }
}
