package io.mortise.backend.inmemory;

import static io.mortise.backend.inmemory.DoubledWorld.LEASE;

import io.mortise.AsyncLock;
import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.LeaderElection;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.LossCause;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * The work that {@link GrowthTest} doubles. Each row makes so many of something, and returns the
 * steps and the store's commands of what then happens. A {@link CountingLoader} loads this class,
 * so it tells the test of it in the words of the JDK only.
 */
public final class DoubledWork implements Supplier<Map<String, IntFunction<long[]>>> {
  private static final Duration BEYOND = LEASE.plusSeconds(15);
  private static final Duration RENEWAL = LEASE.dividedBy(3).plusSeconds(1);
  private static final Duration RECHECK = Duration.ofSeconds(3);

  /** Rows of threads make one thread where others make so many objects. */
  private static final int OBJECTS_PER_THREAD = 10;

  private final Map<String, IntFunction<long[]>> rows = new LinkedHashMap<>();

  /** Prepares a world, and returns what is counted. */
  private interface Row {
    Runnable in(DoubledWorld world, int size) throws Exception;
  }

  @Override
  public Map<String, IntFunction<long[]>> get() {
    held();
    waiting();
    dead();
    ended();
    shared();
    composite();
    elections();
    threads();
    told();
    return rows;
  }

  private void add(String name, Row row) {
    rows.put(
        name,
        size -> {
          try (DoubledWorld world = new DoubledWorld()) {
            Runnable work = row.in(world, size);
            long steps = Steps.count();
            long commands = world.store.commands();
            work.run();
            return new long[] {Steps.count() - steps, world.store.commands() - commands};
          } catch (Exception e) {
            throw new AssertionError(name + " with " + size, e);
          }
        });
  }

  private void held() {
    add(
        "renewal: leases held by a thread that is parked, requests waiting",
        (world, size) -> {
          world.other.getLock("busy").lock();
          world.parked(() -> world.hold(world.one, size));
          List<CompletableFuture<Lease>> unused =
              world.ask(world.one.getLock("busy").async(), size);
          return () -> world.store.advance(RENEWAL);
        });
    add(
        "acquire and close: leases held of other locks",
        (world, size) -> {
          List<Lease> unused = world.hold(world.one, size);
          return () -> world.hold(world.one, "next:", size).forEach(Lease::close);
        });
    add(
        "lock and unlock: locks held by the same thread",
        (world, size) -> {
          for (int i = 0; i < size; i++) {
            world.one.getLock("own:" + i).lock();
          }
          return () -> {
            for (int i = 0; i < size; i++) {
              DistributedLock lock = world.one.getLock("next:" + i);
              lock.lock();
              lock.unlock();
            }
          };
        });
    add(
        "lock again and unlock: levels of one hold",
        (world, size) -> {
          DistributedLock lock = world.one.getLock("nested");
          return () -> {
            for (int i = 0; i < size; i++) {
              lock.lock();
            }
            for (int i = 0; i < size; i++) {
              lock.unlock();
            }
          };
        });
    add(
        "extend: leases held",
        (world, size) -> {
          List<Lease> held = world.hold(world.one, size);
          return () -> held.forEach(each -> each.extend(LEASE.multipliedBy(2)));
        });
    add(
        "idle names: locks that were used, and are no more",
        (world, size) -> {
          world.hold(world.one, size).forEach(Lease::close);
          return () -> world.store.advance(RECHECK);
        });
    add(
        "retained holds go back: names",
        (world, size) -> {
          LockService keeps = world.service(o -> o.retain(Duration.ofMillis(100)));
          for (int i = 0; i < size; i++) {
            DistributedLock lock = keeps.getLock("kept:" + i);
            lock.lock();
            lock.unlock();
          }
          return () -> world.store.advance(RECHECK);
        });
  }

  private void waiting() {
    Map<String, Function<LockService, LeasedLock>> kinds = new LinkedHashMap<>();
    kinds.put("plain lock", service -> service.getLock("busy"));
    kinds.put("fair lock", service -> service.getFairLock("busy"));
    kinds.put("fenced lock", service -> service.getFencedLock("busy"));
    kinds.put("read lock", service -> service.getReadWriteLock("busy").readLock());
    kinds.put("write lock", service -> service.getReadWriteLock("busy").writeLock());
    kinds.forEach((kind, of) -> {
      add(
          kind + ", one lease after the other: requests waiting",
          (world, size) -> {
            Lease first = writer(world.other, kind, of).async().acquire().join();
            List<CompletableFuture<Lease>> all = world.ask(of.apply(world.one).async(), size);
            return () -> {
              first.close();
              all.forEach(each -> each.join().close());
            };
          });
      add(
          kind + ", re-check: requests waiting",
          (world, size) -> {
            Lease unused = writer(world.other, kind, of).async().acquire().join();
            List<CompletableFuture<Lease>> unusedToo = world.ask(of.apply(world.one).async(), size);
            return () -> world.store.advance(RECHECK);
          });
    });
    add(
        "cancel: requests waiting",
        (world, size) -> {
          world.other.getLock("busy").lock();
          List<CompletableFuture<Lease>> all = world.ask(world.one.getLock("busy").async(), size);
          return () -> all.forEach(each -> each.cancel(false));
        });
    add(
        "time runs out: timed requests waiting",
        (world, size) -> {
          world.other.getLock("busy").lock();
          for (int i = 0; i < size; i++) {
            CompletableFuture<?> unused =
                world.one.getLock("busy").async().tryAcquire(Duration.ofSeconds(1));
          }
          return () -> world.store.advance(RECHECK);
        });
    add(
        "messages come again after a gap: requests waiting",
        (world, size) -> {
          world.other.getLock("busy").lock();
          List<CompletableFuture<Lease>> unused =
              world.ask(world.one.getLock("busy").async(), size);
          return world.link::reconnect;
        });
    add(
        "one lease after the other: services waiting",
        (world, size) -> {
          Lease first = world.other.getLock("busy").async().acquire().join();
          List<CompletableFuture<Lease>> all = new ArrayList<>();
          for (int i = 0; i < size / OBJECTS_PER_THREAD; i++) {
            all.add(world.service().getLock("busy").async().acquire());
          }
          return () -> {
            first.close();
            all.forEach(each -> each.join().close());
          };
        });
    add(
        "releases without a reply: leases held, requests waiting",
        (world, size) -> {
          world.other.getLock("busy").lock();
          List<Lease> held = world.hold(world.one, size);
          List<CompletableFuture<Lease>> unused =
              world.ask(world.one.getLock("busy").async(), size);
          return () -> {
            world.link.mute = "leave";
            held.forEach(Lease::close);
            world.link.mute = "";
            world.store.advance(Duration.ofSeconds(1));
          };
        });
  }

  private static LeasedLock writer(
      LockService by, String kind, Function<LockService, LeasedLock> of) {
    return kind.equals("read lock") ? by.getReadWriteLock("busy").writeLock() : of.apply(by);
  }

  private void dead() {
    dead("plain lock", service -> service.getLock("x").async());
    dead("fair lock", service -> service.getFairLock("x").async());
    dead("fenced lock", service -> service.getFencedLock("x").async());
    dead("write lock", service -> service.getReadWriteLock("x").writeLock().async());
    dead("permit", service -> service.getSemaphore("x", 1).async(1));
    add(
        "release, and the next has it: dead writers before a read lock",
        (world, size) -> {
          Lease held = world.one.getReadWriteLock("x").writeLock().async().acquire().join();
          world.die(by -> by.getReadWriteLock("x").writeLock().async(), size);
          AsyncLock waiting = world.other.getReadWriteLock("x").readLock().async();
          return releasedTo(held::close, waiting.acquire());
        });
    add(
        "release, and the next has it: dead waiters before a lock shared with Redisson",
        (world, size) -> {
          LockService shared = world.service(options -> options.redissonInterop(true));
          LockService next = world.service(options -> options.redissonInterop(true));
          Lease held = shared.getLock("x").async().acquire().join();
          world.die(options -> options.redissonInterop(true), by -> by.getLock("x").async(), size);
          return releasedTo(held::close, next.getLock("x").async().acquire());
        });
    add(
        "forceUnlock, and the next has it: dead waiters before a plain lock",
        (world, size) -> {
          world.one.getLock("x").lock();
          world.die(by -> by.getLock("x").async(), size);
          return releasedTo(
              () -> world.other.getLock("x").forceUnlock(),
              world.other.getLock("x").async().acquire());
        });
    add(
        "the holder dies, and the next has it: dead waiters before a plain lock",
        (world, size) -> {
          DoubledWorld.Link lost = world.link();
          Lease unused = world.service(lost).getLock("x").async().acquire().join();
          world.die(by -> by.getLock("x").async(), size);
          CompletableFuture<Lease> next = world.other.getLock("x").async().acquire();
          lost.close();
          return releasedTo(() -> world.store.advance(LEASE.plusSeconds(1)), next);
        });
  }

  private void dead(String kind, DoubledWorld.AsyncLockOf of) {
    add(
        "release, and the next has it: dead waiters before a " + kind,
        (world, size) -> {
          Lease held = of.of(world.one).acquire().join();
          world.die(of, size);
          return releasedTo(held::close, of.of(world.other).acquire());
        });
  }

  /** Time does not move, so the next has it at once, or by no re-check. */
  private static Runnable releasedTo(Runnable release, CompletableFuture<Lease> next) {
    return () -> {
      release.run();
      if (!next.isDone()) {
        throw new AssertionError("the lock is free, and the live waiter does not get it");
      }
    };
  }

  private void ended() {
    add(
        "close of a service: leases held, requests waiting",
        (world, size) -> {
          List<Lease> unused = world.hold(world.one, size);
          world.other.getLock("busy").lock();
          List<CompletableFuture<Lease>> unusedToo =
              world.ask(world.one.getLock("busy").async(), size);
          return world.one::close;
        });
    add(
        "forceUnlock: leases held by another service",
        (world, size) -> {
          List<Lease> unused = world.hold(world.one, size);
          return () -> {
            for (int i = 0; i < size; i++) {
              world.other.getLock("held:" + i).forceUnlock();
            }
          };
        });
    add(
        "losses: leases whose store is out of reach",
        (world, size) -> {
          List<Lease> unused = world.hold(world.one, size);
          world.link.lose = true;
          return () -> {
            world.store.advance(BEYOND);
            world.link.lose = false;
          };
        });
    add(
        "losses: holds of one thread, all at once",
        (world, size) -> {
          for (int i = 0; i < size; i++) {
            world.one.getLock("own:" + i).lock();
          }
          world.link.lose = true;
          return () -> {
            world.store.advance(BEYOND);
            world.link.lose = false;
          };
        });
    add(
        "losses: holds of one thread, one by one",
        (world, size) -> {
          for (int i = 0; i < size; i++) {
            world.one.getLock("own:" + i).lock();
          }
          return () -> {
            for (int i = 0; i < size; i++) {
              world.other.getLock("own:" + i).forceUnlock();
            }
          };
        });
    add(
        "a lease is lost: listeners of that lease",
        (world, size) -> {
          Lease lease = world.one.getLock("x").async().acquire().join();
          for (int i = 0; i < size; i++) {
            Lease unused = lease.onLost(change -> {});
          }
          return () -> world.other.getLock("x").forceUnlock();
        });
  }

  private void shared() {
    add(
        "permits come back one after the other: leases and requests of a semaphore",
        (world, size) -> {
          DistributedSemaphore permits = world.one.getSemaphore("permits", size);
          List<CompletableFuture<Lease>> held = world.ask(permits.async(1), size);
          List<CompletableFuture<Lease>> next =
              world.ask(world.other.getSemaphore("permits").async(1), size);
          return () -> {
            held.forEach(each -> each.join().close());
            next.forEach(each -> each.join().close());
          };
        });
    add(
        "countDown to zero: requests waiting at a latch",
        (world, size) -> {
          DistributedCountDownLatch latch = world.one.getCountDownLatch("latch");
          latch.trySetCount(1);
          List<CompletableFuture<Void>> all = new ArrayList<>();
          for (int i = 0; i < size; i++) {
            all.add(world.one.getCountDownLatch("latch").awaitAsync());
          }
          return () -> {
            latch.countDown();
            all.forEach(CompletableFuture::join);
          };
        });
    add(
        "acquire and close: readers of one lock",
        (world, size) -> {
          DistributedReadWriteLock lock = world.one.getReadWriteLock("book");
          return () -> {
            List<CompletableFuture<Lease>> all = world.ask(lock.readLock().async(), size);
            all.forEach(each -> each.join().close());
          };
        });
    add(
        "holds() and waits(): leases held, requests waiting",
        (world, size) -> {
          List<Lease> unused = world.hold(world.one, size);
          world.other.getLock("busy").lock();
          List<CompletableFuture<Lease>> unusedToo =
              world.ask(world.one.getLock("busy").async(), size);
          return () -> {
            Object unusedHolds = world.one.holds();
            Object unusedWaits = world.one.waits();
          };
        });
  }

  private void composite() {
    add(
        "lock and unlock of a multi-lock: its members",
        (world, size) -> {
          MultiLock lock = multi(world, size);
          return () -> {
            lock.lock();
            lock.unlock();
          };
        });
    add(
        "tryLock and unlock of a multi-lock: its members",
        (world, size) -> {
          MultiLock lock = multi(world, size);
          return () -> {
            if (lock.tryLock()) {
              lock.unlock();
            }
          };
        });
    add(
        "acquire and close of a multi-lock: its members",
        (world, size) -> {
          MultiLock lock = multi(world, size);
          return () -> {
            lock.async().acquire().join().close();
            lock.async().tryAcquire().join().orElseThrow().close();
          };
        });
    add(
        "a lease of a multi-lock is renewed: its members",
        (world, size) -> {
          Lease unused = multi(world, size).async().acquire().join();
          return () -> world.store.advance(RENEWAL);
        });
    add(
        "lock and unlock: Redlocks held by the same thread",
        (world, size) -> {
          for (int i = 0; i < size; i++) {
            red(world, "own:" + i).lock();
          }
          return () -> {
            for (int i = 0; i < size; i++) {
              RedLock lock = red(world, "next:" + i);
              lock.lock();
              lock.unlock();
            }
          };
        });
  }

  private void elections() {
    add(
        "one leader after the other: candidates",
        (world, size) -> {
          List<LeaderElection> all = new ArrayList<>();
          for (int i = 0; i < size; i++) {
            all.add(join(world, "leader"));
          }
          return () -> all.forEach(LeaderElection::close);
        });
    add(
        "close of a service: elections that it leads",
        (world, size) -> {
          for (int i = 0; i < size; i++) {
            LeaderElection unused = join(world, "leader:" + i);
          }
          return world.one::close;
        });
  }

  private static LeaderElection join(DoubledWorld world, String name) {
    return LeaderElection.join(
        world.one.getFencedLock(name),
        new LeaderElection.Leader() {
          @Override
          public void onElected(long term) {}

          @Override
          public void onRevoked(long term, Optional<LossCause> loss) {}
        });
  }

  private static MultiLock multi(DoubledWorld world, int size) {
    LeasedLock[] members = new LeasedLock[size];
    for (int i = 0; i < size; i++) {
      members[i] = world.one.getLock("member:" + i);
    }
    return MultiLock.of(members);
  }

  private static RedLock red(DoubledWorld world, String name) {
    return RedLock.of(
        world.one.getLock(name + ":a"), world.one.getLock(name + ":b"), world.one.getLock(name));
  }

  private Runnable blocked(DoubledWorld world, int size) {
    return blocked(world, size, 1);
  }

  /** Threads that hold so many locks each, and wait for one lock. */
  private Runnable blocked(DoubledWorld world, int size, int locks) {
    int threads = size / OBJECTS_PER_THREAD;
    AtomicInteger next = new AtomicInteger();
    DistributedLock busy = world.one.getLock("busy");
    world.other.getLock("busy").lock();
    world.threads(
        threads,
        () -> {
          for (int i = 0; i < locks; i++) {
            world.one.getLock("own:" + next.incrementAndGet()).lock();
          }
          busy.lockInterruptibly();
          return "";
        });
    world.store.awaitParked(threads);
    world.store.advance(RECHECK);
    return () -> world.store.advance(RECHECK);
  }

  private void threads() {
    add(
        "one hold after the other: threads that wait",
        (world, size) -> {
          DistributedLock lock = world.one.getLock("threads");
          int threads = size / OBJECTS_PER_THREAD;
          lock.lock();
          world.threads(threads, () -> pair(lock));
          world.store.awaitParked(threads);
          return () -> {
            lock.unlock();
            world.join();
          };
        });
    add(
        "one writer after the other: threads that wait",
        (world, size) -> {
          LeasedLock lock = world.one.getReadWriteLock("threads").writeLock();
          int threads = size / OBJECTS_PER_THREAD;
          lock.lock();
          world.threads(threads, () -> pair(lock));
          world.store.awaitParked(threads);
          return () -> {
            lock.unlock();
            world.join();
          };
        });
    add(
        "signalAll: threads that wait for a condition",
        (world, size) -> {
          DistributedLock lock = world.one.getLock("threads");
          Condition signal = lock.newCondition();
          AtomicBoolean signalled = new AtomicBoolean();
          int threads = size / OBJECTS_PER_THREAD;
          world.threads(
              threads,
              () -> {
                lock.lock();
                try {
                  while (!signalled.get()) {
                    signal.await();
                  }
                } finally {
                  lock.unlock();
                }
                return "";
              });
          world.store.awaitParked(threads);
          return () -> {
            lock.lock();
            signalled.set(true);
            signal.signalAll();
            world.store.awaitParked(threads); // all at the gate: late ones would need the store
            lock.unlock();
            world.join();
          };
        });
    add("looks for deadlocks: threads that hold a lock each and wait for one", this::blocked);
    add(
        "looks for deadlocks: threads that wait for one lock, locks held by each of them",
        (world, size) -> {
          int each = (int) Math.sqrt(size);
          return blocked(world, each * OBJECTS_PER_THREAD, size / each);
        });
    add(
        "renewal: threads that share a read hold",
        (world, size) -> {
          DistributedReadWriteLock book = world.one.getReadWriteLock("book");
          int threads = size / OBJECTS_PER_THREAD;
          CompletableFuture<Void> all = new CompletableFuture<>();
          world.threads(
              threads,
              () -> {
                book.readLock().lock();
                return all.join();
              });
          while (world.one.holds().size() < threads) {
            Thread.sleep(1);
          }
          return () -> world.store.advance(RENEWAL);
        });
  }

  private static String pair(LeasedLock lock) {
    lock.lock();
    lock.unlock();
    return "";
  }

  private void told() {
    add(
        "acquire and close: listeners of the service",
        (world, size) -> {
          LockService service =
              world.service(options -> {
                for (int i = 0; i < size; i++) {
                  LockService.Builder unused = options.listener(new LockListener() {});
                }
                return options;
              });
          return () -> service.getLock("x").async().acquire().join().close();
        });
    add(
        "find: locks held",
        (world, size) -> {
          List<Lease> unused = world.hold(world.one, size);
          return () -> {
            Object unusedFound = world.other.find("*", size);
          };
        });
    add(
        "status: requests waiting for one lock",
        (world, size) -> {
          world.other.getLock("busy").lock();
          List<CompletableFuture<Lease>> unused =
              world.ask(world.one.getLock("busy").async(), size);
          return () -> {
            Object unusedFound = world.other.status("busy");
          };
        });
  }
}
