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
   * Returns the store that all services of this JVM share under a name. The URI {@code memory:name}
   * opens the same store. The store lives as long as a backend on it is open. After the last one is
   * closed, the name stands for a new, empty store. The store runs on system time.
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
   * Creates a separate store on system time.
   *
   * @return an empty store
   */
  public static InMemoryStore create() {
    return new InMemoryStore(null, false);
  }

  /**
   * Creates a separate store whose time moves only by {@link #advance}. This time applies to parked
   * threads, timers, the server's TIME and the expiry of keys.
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

  /** Called by a backend as its last step when it is closed. */
  void closed() {
    if (sharedName != null) {
      StoreRegistry.closed(this, sharedName);
    }
  }

  /**
   * Moves the time of a store {@linkplain #withMovableTime with movable time}. It moves from one
   * instant with a due event to the next. At each instant it does three things:
   *
   * <ul>
   *   <li>It runs the due timers on the calling thread.
   *   <li>It wakes the threads whose park time is over.
   *   <li>It waits until those threads are at rest again: parked, waiting, blocked or ended.
   * </ul>
   *
   * <p>So it returns after every due event, including timers that were scheduled on the way. It
   * waits at most 15 seconds for a thread that does not come to rest.
   *
   * @param duration how far to move, not negative
   * @throws IllegalStateException the store runs on system time
   */
  public void advance(Duration duration) {
    movableTime("advance").advance(duration);
  }

  /**
   * Simulates that the machine of the services was suspended, while the server ran on. The server's
   * TIME and the expiry of keys move, and so does the wall clock. The monotonic time moves on by a
   * millisecond, in which no timer runs and no park ends. Needs {@linkplain #withMovableTime
   * movable time}.
   *
   * @param duration for how long, not negative
   * @throws IllegalStateException the store runs on system time
   */
  public void suspend(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("a machine cannot be suspended for " + duration);
    }
    movableTime("suspend").stepWallClock(duration);
    server.stepClock(duration);
  }

  /** Moves the services' wall clock alone, as if it was set. */
  void stepWallClock(Duration by) {
    movableTime("stepWallClock").stepWallClock(by);
  }

  /**
   * Waits until threads are parked in this store's {@linkplain #time time}, as a test does before
   * it moves the time. Needs {@linkplain #withMovableTime movable time}.
   *
   * @param threads the least number of threads
   * @throws IllegalStateException ten seconds of real time have passed without that number, or the
   *     store runs on system time
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
   * The channels with a subscriber now.
   *
   * @return a sorted copy
   */
  public Set<String> channels() {
    return server.channels();
  }

  /**
   * The number of commands that scripts have called, including failed commands.
   *
   * @return the sum of {@link #commandCounts}
   */
  public long commands() {
    return commandCounts().values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * The number of calls of each command by scripts.
   *
   * @return counts by the command's upper-case name, without zeros
   */
  public Map<String, Long> commandCounts() {
    return server.commandCounts();
  }

  /**
   * The number of runs of each script. On Redis this is the number of EVALSHA commands.
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

  /** The server, for tests of faults; see {@link Server}. */
  Server server() {
    return server;
  }

  @Override
  public String toString() {
    return endpoint;
  }
}
