package io.mortise.conformance.outside;

import io.mortise.AsyncLock;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import io.mortise.conformance.outside.Step.What;
import io.mortise.spi.BackendException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The locks of a worker, and the ways to acquire them. Thread-safe. */
final class Locks implements AutoCloseable {
  static final int PERMITS = 2;
  static final int READERS = 1_000;
  static final Duration TIMEOUT = Duration.ofMillis(600);
  private static final Duration ACKS = Duration.ofMillis(250);
  private static final int ATTEMPTS = 50;
  private static final long PAUSE = 200_000_000L;
  private static final Duration BLINK = Duration.ofMillis(50);

  private final LockService main;
  private final List<LockService> red = new ArrayList<>();
  private final LockService shared;
  private final List<LockService> all = new ArrayList<>();

  /** Opens the services of a worker. */
  Locks(WorkerOrders orders) {
    List<String> uris = orders.uris();
    main = open(uris.get(0), orders, false);
    shared = orders.locks().contains(What.SHARED) ? open(uris.get(0), orders, true) : main;
    uris.subList(1, uris.size()).forEach(uri -> red.add(open(uri, orders, false)));
  }

  private LockService open(String uri, WorkerOrders orders, boolean interop) {
    LockService.Builder builder =
        LockService.builder()
            .uri(uri)
            .provider(orders.provider())
            .leaseTime(orders.lease())
            .commandTimeout(TIMEOUT)
            .redissonInterop(interop);
    if (orders.replicas() > 0) {
      builder.replicaAcks(orders.replicas(), ACKS);
    }
    LockService service = patiently(builder::open);
    all.add(service);
    return service;
  }

  /** Tries several times, because a fault may disturb the server or the link. */
  static <T> T patiently(Supplier<T> opening) {
    for (int attempt = 1; ; attempt++) {
      try {
        return opening.get();
      } catch (LockException | BackendException e) { // includes an unknown outcome
        if (attempt == ATTEMPTS) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE);
      }
    }
  }

  /** The names of a step's locks in the logs. */
  static List<String> resources(What what) {
    return switch (what) {
      case READ, WRITE -> List.of("read-write");
      case MULTI -> List.of("member-a", "member-b");
      case MEMBER -> List.of("member-a");
      default -> List.of(what.name().toLowerCase(Locale.ROOT));
    };
  }

  /** Acquires as the step says. Returns the hold, or null if the lock was not acquired. */
  @Nullable Hold enter(Step step) throws InterruptedException, ExecutionException {
    String name = resources(step.what()).get(0);
    return switch (step.what()) {
      case UNGUARDED -> Hold.blind(() -> {});
      case OVERSTAYED -> overstay(main.getLock(name).withLease(BLINK));
      case SEMAPHORE -> enter(semaphore(name), step);
      default -> enter(lock(step.what(), name), step);
    };
  }

  private LeasedLock lock(What what, String name) {
    return switch (what) {
      case FAIR -> main.getFairLock(name);
      case FENCED -> main.getFencedLock(name);
      case READ -> main.getReadWriteLock(name).readLock();
      case WRITE -> main.getReadWriteLock(name).writeLock();
      case MULTI -> MultiLock.of(main.getLock(name), main.getLock("member-b"));
      case RED ->
          RedLock.of(red.stream().map(each -> each.getLock(name)).toArray(LeasedLock[]::new));
      case SHARED -> shared.getLock(name);
      default -> main.getLock(name);
    };
  }

  /** The number of permits is data of the server, so it may be gone at any time. */
  private DistributedSemaphore semaphore(String name) {
    DistributedSemaphore semaphore = main.getSemaphore(name);
    boolean unused = semaphore.trySetPermits(PERMITS);
    return semaphore;
  }

  private static Hold overstay(DistributedLock lock) {
    lock.lock();
    return Hold.blind(() -> {
      try {
        lock.unlock();
      } catch (LeaseLostException e) {
        // The control ignores a loss here too.
      }
    });
  }

  private static @Nullable Hold enter(LeasedLock any, Step step)
      throws InterruptedException, ExecutionException {
    LeasedLock lock = step.lease().isZero() ? any : any.withLease(step.lease());
    switch (step.way()) {
      case LOCK -> lock.lock();
      case INTERRUPTIBLY -> lock.lockInterruptibly();
      case TRY -> {
        return lock.tryLock() ? held(lock) : null;
      }
      case TRY_FOR_A_WHILE -> {
        return lock.tryLock(step.patience()) ? held(lock) : null;
      }
      case LEASE -> {
        return Hold.of(lock.acquire());
      }
      case TRY_LEASE -> {
        return lock.tryAcquire(step.patience()).map(Hold::of).orElse(null);
      }
      case ASYNC -> {
        return enter(lock.async(), step);
      }
    }
    return held(lock);
  }

  private static Hold held(LeasedLock lock) {
    return Hold.of(lock, lock instanceof FencedLock fenced ? tokenOf(fenced) : 0);
  }

  private static long tokenOf(FencedLock lock) {
    try {
      return lock.fencingToken();
    } catch (LeaseLostException e) {
      return 0; // lost since; the first check reports it
    }
  }

  private static @Nullable Hold enter(AsyncLock lock, Step step)
      throws InterruptedException, ExecutionException {
    CompletableFuture<Optional<Lease>> future = lock.tryAcquire(step.patience());
    try {
      return future.get().map(Hold::of).orElse(null);
    } catch (InterruptedException e) {
      if (!future.cancel(true)) {
        return future.get().map(Hold::of).orElse(null); // granted at the same moment
      }
      throw e;
    }
  }

  private static @Nullable Hold enter(DistributedSemaphore any, Step step)
      throws InterruptedException, ExecutionException {
    DistributedSemaphore semaphore = step.lease().isZero() ? any : any.withLease(step.lease());
    return switch (step.way()) {
      case TRY -> semaphore.tryAcquire().map(Hold::of).orElse(null);
      case TRY_FOR_A_WHILE, TRY_LEASE ->
          semaphore.tryAcquire(1, step.patience()).map(Hold::of).orElse(null);
      case ASYNC -> enter(semaphore.async(1), step);
      default -> Hold.of(semaphore.acquire());
    };
  }

  /** Forces the lock of a step open. Returns whether it was held. */
  boolean force(What what) {
    String name = resources(what).get(0);
    DistributedReadWriteLock rw = main.getReadWriteLock(name);
    return switch (what) {
      case READ -> rw.readLock().forceUnlock();
      case WRITE -> rw.writeLock().forceUnlock();
      case SEMAPHORE -> main.getSemaphore(name).forceRelease();
      default -> main.getLock(name).forceUnlock();
    };
  }

  @Override
  public void close() {
    all.forEach(LockService::close);
  }
}
