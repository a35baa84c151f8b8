package io.mortise.cli;

import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Topology;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The workers of this process, with a lock service of their own. */
final class LocalParty implements DemoParty {
  /**
   * Shorter than the default. Waiters wait through an outage of one lease, and the demo is short.
   */
  static final Duration LEASE = Duration.ofSeconds(6);

  /** A failover of a cluster takes at most that long with its usual settings. */
  private static final Duration LONGEST_OUTAGE = Duration.ofSeconds(30);

  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Counter counter;
  private final int workers;
  private final Meter meter;
  private final LockBackend backend;
  private final LockService service;
  private final LeasedLock lock;
  private final ExecutorService pool;
  private volatile boolean stopped;

  private LocalParty(Counter counter, int workers, Meter meter, LockBackend backend, Site site) {
    this.counter = counter;
    this.workers = workers;
    this.meter = meter;
    this.backend = backend;
    service =
        LockService.builder()
            .backend(backend)
            .leaseTime(LEASE)
            .retain(site.retain())
            .listener(meter)
            .open();
    lock = site.kind().of(service, site.lockName());
    pool =
        Executors.newFixedThreadPool(
            workers,
            task -> {
              Thread thread = new Thread(task, "mortise-demo-worker");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Opens the backend and the service.
   *
   * @param site the place of the lock
   * @param counter the counter that the workers increment
   * @param workers the number of threads
   */
  static LocalParty open(Site site, Counter counter, int workers) {
    Meter meter = new Meter();
    LockBackend backend = new CountingBackend(Backends.open(site.uri(), site.backend()), meter);
    try {
      return new LocalParty(counter, workers, meter, backend, site);
    } catch (RuntimeException e) {
      backend.close();
      throw e;
    }
  }

  /**
   * The place of the lock.
   *
   * @param uri the store's URI
   * @param backend the provider's name
   * @param lockName the same for all processes
   * @param kind the kind of lock
   * @param retain how long a lock that nobody uses is kept
   */
  record Site(URI uri, String backend, String lockName, DemoLock kind, Duration retain) {}

  @Override
  public CompletableFuture<Tally> start(Phase phase, Duration duration) {
    meter.reset();
    Runnable step = phase == Phase.WITH ? this::incrementLocked : this::incrementUnlocked;
    long end = System.nanoTime() + duration.toNanos();
    CompletableFuture<Tally> result = new CompletableFuture<>();
    AtomicInteger running = new AtomicInteger(workers);
    for (int i = 0; i < workers; i++) {
      pool.execute(() -> work(step, end, running, result));
    }
    return result;
  }

  private void work(
      Runnable step, long end, AtomicInteger running, CompletableFuture<Tally> result) {
    try {
      while (!stopped && System.nanoTime() - end < 0) {
        step.run();
      }
    } catch (RuntimeException | Error e) {
      stopped = true;
      result.completeExceptionally(e);
    } finally {
      if (running.decrementAndGet() == 0) {
        result.complete(soFar());
      }
    }
  }

  private void incrementUnlocked() {
    counter.increment();
    meter.incremented();
  }

  private void incrementLocked() {
    if (!isLocked()) {
      LockSupport.parkNanos(PAUSE.toNanos());
      return;
    }
    try {
      counter.increment();
      meter.incremented();
      meter.tick();
    } finally {
      unlock();
    }
  }

  /** Where another master takes over, an outage ends by itself, and the worker tries again. */
  private boolean isLocked() {
    try {
      lock.lock();
      return true;
    } catch (LockException e) {
      boolean endsByItself = backend.info().topology() != Topology.SINGLE;
      if (!endsByItself || meter.sinceTick() > LONGEST_OUTAGE.toNanos()) {
        throw e;
      }
      meter.failed();
      return false;
    }
  }

  private void unlock() {
    try {
      lock.unlock();
    } catch (LeaseLostException e) {
      if (backend.info().topology() == Topology.SINGLE) {
        throw e;
      }
      meter.lost();
    }
  }

  @Override
  public Tally soFar() {
    return meter.tally();
  }

  @Override
  public void close() {
    stopped = true;
    service.close();
    backend.close();
    pool.shutdown();
  }
}
