package io.mortise.backend.inmemory;

import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A keyspace inside this JVM, with channels and a clock. It runs the same Lua scripts as Redis, one
 * at a time, and knows the commands they use. Thread-safe.
 *
 * <pre>{@code
 * InMemoryStore store = InMemoryStore.withMovableTime();
 * LockBackend one = store.backend();
 * LockBackend other = store.backend();
 * store.advance(Duration.ofSeconds(30)); // leases end, waits and timers run out
 * }</pre>
 *
 * <p>Each {@linkplain #backend backend} is one client. Closing it ends its own calls and
 * subscriptions; keys live on in the store.
 */
public final class InMemoryStore {
  static {
    // LuaJ is on the class path even where this is a module; see module-info.
    InMemoryStore.class
        .getModule()
        .addReads(InMemoryStore.class.getClassLoader().getUnnamedModule());
  }

  private static final Instant MOVABLE_START = Instant.parse("2026-01-01T00:00:00Z");
  private static final AtomicInteger UNNAMED = new AtomicInteger();

  private final @Nullable String sharedName;
  private final String endpoint;
  private final TimeSource time;
  private final Server server;

  private InMemoryStore(@Nullable String sharedName, boolean movable) {
    this.sharedName = sharedName;
    endpoint =
        "memory:" + (sharedName == null ? "unnamed-" + UNNAMED.incrementAndGet() : sharedName);
    ReentrantLock lock = new ReentrantLock();
    time = movable ? new MovableTime(lock::hasQueuedThread) : TimeSource.system();
    server = new Server(lock, time, movable ? MOVABLE_START : Instant.now());
  }

  /**
   * The store all services of this JVM share under a name, which is what the URI {@code
   * memory:name} opens. It lives as long as a backend on it is open; after the last is closed the
   * name stands for a new, empty store. It runs on system time.
   *
   * @param name the name, not blank
   * @return the one store of that name
   */
  public static InMemoryStore named(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("a store needs a name that is not blank");
    }
    return StoreRegistry.named(name);
  }

  /**
   * A store of its own, on system time.
   *
   * @return an empty store
   */
  public static InMemoryStore create() {
    return new InMemoryStore(null, false);
  }

  /**
   * A store of its own whose time stands still until {@link #advance} moves it: parked threads,
   * timers, the server's TIME and the ends of keys together.
   *
   * @return an empty store
   */
  public static InMemoryStore withMovableTime() {
    return new InMemoryStore(null, true);
  }

  static InMemoryStore ofName(String name) {
    return new InMemoryStore(name, false);
  }

  /**
   * Opens a backend: a client of this store, independent of its other clients.
   *
   * @return an open backend, which the caller closes
   */
  public LockBackend backend() {
    if (sharedName != null) {
      StoreRegistry.opened(this, sharedName);
    }
    return new InMemoryBackend(this, server);
  }

  /** The last word of a backend that was closed. */
  void closed() {
    if (sharedName != null) {
      StoreRegistry.closed(this, sharedName);
    }
  }

  /**
   * Moves the time of a store {@linkplain #withMovableTime with movable time}. Goes from one
   * instant at which something is due to the next; at each, runs the timers that are due on the
   * calling thread, wakes the threads whose park time is over, and waits until they have come to
   * rest again: parked, waiting, blocked or ended. So it returns after everything due has run,
   * timers scheduled on the way included. A woken thread that finds no rest within two seconds is
   * waited for no longer.
   *
   * @param duration how far, not negative
   * @throws IllegalStateException the store runs on system time
   */
  public void advance(Duration duration) {
    movableTime("advance").advance(duration);
  }

  /**
   * Waits until threads are parked in this store's {@linkplain #time time}, as a test does before
   * it moves it. Needs {@linkplain #withMovableTime movable time}.
   *
   * @param threads how many, at least
   * @throws IllegalStateException ten seconds of real time have passed without, or the store runs
   *     on system time
   */
  public void awaitParked(int threads) {
    movableTime("awaitParked").awaitParked(threads, Duration.ofSeconds(10));
  }

  private MovableTime movableTime(String operation) {
    if (time instanceof MovableTime movable) {
      return movable;
    }
    throw new IllegalStateException(
        operation + ": " + endpoint + " runs on system time; use InMemoryStore.withMovableTime()");
  }

  /**
   * The time of this store and of its backends.
   *
   * @return the same instance every time
   */
  public TimeSource time() {
    return time;
  }

  /**
   * The keys that exist now.
   *
   * @return a sorted copy
   */
  public Set<String> keys() {
    return server.keys();
  }

  /**
   * The channels that have a subscriber now.
   *
   * @return a sorted copy
   */
  public Set<String> channels() {
    return server.channels();
  }

  /**
   * How many commands scripts have called, failed ones included.
   *
   * @return the sum of {@link #commandCounts}
   */
  public long commands() {
    return commandCounts().values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * How often scripts have called each command.
   *
   * @return counts by the command's upper-case name, without zeros
   */
  public Map<String, Long> commandCounts() {
    return server.commandCounts();
  }

  /**
   * How often each script has run: on Redis, the number of EVALSHA commands.
   *
   * @return counts by the script's name, without zeros
   */
  public Map<String, Long> scriptCounts() {
    return server.scriptCounts();
  }

  /** Sets all counts to zero. */
  public void resetCounts() {
    server.resetCounts();
  }

  /** For tests of faults: see {@link Server}. */
  Server server() {
    return server;
  }

  @Override
  public String toString() {
    return endpoint;
  }
}
