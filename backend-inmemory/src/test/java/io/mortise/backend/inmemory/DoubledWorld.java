package io.mortise.backend.inmemory;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** A store, its services, and their threads, in which {@link DoubledWork} happens. */
final class DoubledWorld implements AutoCloseable {
  static final Duration LEASE = Duration.ofSeconds(30);
  private static final int DEAD_PER_OBJECT = 4;

  /** A client of the store whose replies and messages a row can take away. */
  static final class Link implements LockBackend {
    private final LockBackend to;
    private final List<ChannelListener> listeners = new ArrayList<>();

    /** The script whose replies get lost; all scripts run. */
    volatile String mute = "";

    /** Whether no script reaches the store. */
    volatile boolean lose;

    Link(LockBackend to) {
      this.to = to;
    }

    void reconnect() {
      for (ChannelListener each : List.copyOf(listeners)) {
        each.onInterrupted(new BackendException(Outcome.UNKNOWN, "cut", null));
        each.onSubscribed();
      }
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      if (lose) {
        throw new BackendException(Outcome.NOT_EXECUTED, "the store is out of reach", null);
      }
      List<Object> reply = to.execute(call);
      if (call.script().name().equals(mute)) {
        throw new BackendException(Outcome.UNKNOWN, "the reply got lost", null);
      }
      return reply;
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      try {
        return CompletableFuture.completedFuture(execute(call));
      } catch (BackendException e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      listeners.add(listener);
      return to.subscribe(channel, listener);
    }

    @Override
    public BackendInfo info() {
      return to.info();
    }

    @Override
    public TimeSource time() {
      return to.time();
    }

    @Override
    public void close() {
      to.close();
    }
  }

  final InMemoryStore store = InMemoryStore.withMovableTime();
  private final List<LockService> open = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /** Leases that nobody refers to are no longer renewed once they are collected, and cost less. */
  private final Queue<Object> kept = new ConcurrentLinkedQueue<>();

  final Link link = new Link(store.backend());
  final LockService one = service(link, options -> options);
  final LockService other = service();

  LockService service() {
    return service(options -> options);
  }

  LockService service(UnaryOperator<LockService.Builder> options) {
    return service(link(), options);
  }

  Link link() {
    return new Link(store.backend());
  }

  LockService service(Link by) {
    return service(by, options -> options);
  }

  private LockService service(Link by, UnaryOperator<LockService.Builder> options) {
    LockService.Builder builder =
        LockService.builder().backend(by).leaseTime(LEASE).executor(Runnable::run);
    LockService service = options.apply(builder).open();
    open.add(service);
    return service;
  }

  /** So many requests that wait. */
  List<CompletableFuture<Lease>> ask(AsyncLock of, int size) {
    List<CompletableFuture<Lease>> all = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      all.add(of.acquire());
    }
    kept.add(all);
    return all;
  }

  /** So many leases of as many locks. */
  List<Lease> hold(LockService by, int size) {
    return hold(by, "held:", size);
  }

  List<Lease> hold(LockService by, String prefix, int size) {
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      held.add(by.getLock(prefix + i).async().acquire().join());
    }
    kept.add(held);
    return held;
  }

  /** Waiters of a process that died, in front of others: so many that one script stops early. */
  void die(AsyncLockOf lock, int size) {
    die(options -> options, lock, size);
  }

  void die(UnaryOperator<LockService.Builder> options, AsyncLockOf lock, int size) {
    Link lost = link();
    LockService dead = service(lost, options);
    List<CompletableFuture<Lease>> unused = ask(lock.of(dead), size * DEAD_PER_OBJECT);
    lost.close();
  }

  /** A lock of a service. */
  interface AsyncLockOf {
    AsyncLock of(LockService service);
  }

  /** Runs it on so many threads, which end by themselves. */
  void threads(int size, Callable<?> each) {
    for (int i = 0; i < size; i++) {
      Thread thread =
          new Thread(() -> {
            try {
              Object unused = each.call();
            } catch (Exception e) {
              // the world ends
            }
          });
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  /** Waits for all threads to end. */
  void join() {
    for (Thread each : threads) {
      try {
        each.join(60_000);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Runs it on another thread, which then waits for something else until the world ends. */
  void parked(Runnable first) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    threads(
        1,
        () -> {
          first.run();
          done.complete(null);
          while (!Thread.interrupted()) {
            LockSupport.park(done);
          }
          return "";
        });
    done.join();
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    for (LockService each : open) {
      each.close();
    }
  }
}
