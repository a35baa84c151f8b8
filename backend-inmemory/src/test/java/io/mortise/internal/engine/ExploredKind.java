package io.mortise.internal.engine;

import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.HoldInfo;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.internal.concurrent.Futures;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** What threads of two services do with one lock of a kind. One object serves one contest. */
abstract class ExploredKind {
  /** The holders of all services together. */
  final ExploredRoom room;

  final Visitor visitor;
  final Schedule schedule;

  ExploredKind(Visitor visitor, Schedule schedule, int places) {
    this.visitor = visitor;
    this.schedule = schedule;
    room = new ExploredRoom(places);
  }

  /** Runs before the first thread starts. */
  void prepare(LockService service) {}

  /**
   * One use of the lock by a thread.
   *
   * @param first whether it is a thread of the first service
   */
  abstract void visit(LockService service, boolean first);

  /** Forces all holds to end. */
  void force(LockService service) {}

  /** Runs after the last thread. */
  void checkEnd(LockService service) {}

  /** Holds the lock for a while, if it was acquired. */
  void stay(@Nullable Runnable leave, int wanted) {
    if (leave == null) {
      return;
    }
    room.enter(wanted);
    schedule.point();
    room.leave(wanted);
    end(leave);
  }

  /** A loss is allowed only if the lock was forced open. */
  final void end(Runnable leave) {
    try {
      leave.run();
    } catch (LeaseLostException e) {
      if (!room.isForced()) {
        throw e;
      }
    }
  }

  /** The exclusive lock of a name in all its forms: plain, fair, fenced, and as a lease. */
  static final class Exclusive extends ExploredKind {
    private long token;

    Exclusive(Visitor visitor, Schedule schedule) {
      super(visitor, schedule, 1);
    }

    @Override
    void visit(LockService service, boolean first) {
      DistributedLock plain = service.getLock("x");
      switch (visitor.choose(5)) {
        case 0 -> stay(visitor.lock(service.getFairLock("x")), 1);
        case 1 -> fenced(service.getFencedLock("x"));
        case 2 -> {
          for (int i = visitor.choose(4); i > 0; i--) {
            crowd(plain);
          }
          stay(visitor.lease(plain), 1);
        }
        default -> stay(visitor.lock(plain), 1);
      }
    }

    /** One more request, so that leases are handed off. It gives its own back at once. */
    private void crowd(DistributedLock lock) {
      CompletableFuture<Void> unused =
          lock.async()
              .acquire()
              .thenAccept(lease -> {
                room.enter(1);
                room.leave(1);
                CompletableFuture<Void> ignored = lease.releaseAsync();
              });
    }

    @Override
    void force(LockService service) {
      boolean unused = service.getLock("x").forceUnlock();
    }

    private void fenced(FencedLock lock) {
      Runnable leave = visitor.lock(lock);
      if (leave != null) {
        end(() -> check(lock.fencingToken()));
      }
      stay(leave, 1);
    }

    /** Tokens rise, except those of a revoked hold that does not know it yet. */
    private void check(long next) {
      if (next <= token && !room.isForced()) {
        throw new AssertionError("token " + next + " after " + token);
      }
      token = Math.max(token, next);
    }
  }

  /** Readers share, and a writer is alone. */
  static final class ReadWrite extends ExploredKind {
    private static final int READERS = 100;

    /** How often threads of one service held it together by one hold of the store. */
    static final AtomicInteger SHARED = new AtomicInteger();

    ReadWrite(Visitor visitor, Schedule schedule) {
      super(visitor, schedule, READERS);
    }

    private static void countShared(LockService service) {
      List<String> ids = service.holds().stream().map(HoldInfo::holder).toList();
      if (ids.stream().distinct().count() < ids.size()) {
        SHARED.incrementAndGet();
      }
    }

    @Override
    void force(LockService service) {
      DistributedReadWriteLock lock = service.getReadWriteLock("x");
      boolean unused =
          visitor.choose(2) == 0 ? lock.readLock().forceUnlock() : lock.writeLock().forceUnlock();
    }

    @Override
    void visit(LockService service, boolean first) {
      DistributedReadWriteLock lock = service.getReadWriteLock("x");
      switch (visitor.choose(6)) {
        case 0, 1 -> {
          Runnable leave = visitor.lock(lock.readLock());
          countShared(service);
          stay(leave, 1);
        }
        case 2 -> stay(visitor.lease(lock.readLock()), 1);
        case 3 -> downgrade(lock);
        case 4 -> upgrade(lock);
        default -> stay(visitor.lock(lock.writeLock()), READERS);
      }
    }

    private void downgrade(DistributedReadWriteLock lock) {
      Runnable leave = visitor.lock(lock.writeLock());
      if (leave == null) {
        return;
      }
      room.enter(READERS);
      Runnable reads =
          visitor.attempt(() -> {
            lock.readLock().lock();
            return lock.readLock()::unlock;
          });
      room.leave(READERS);
      if (reads != null) {
        room.enter(1);
      }
      end(leave);
      if (reads != null) {
        room.leave(1);
        stay(reads, 1);
      }
    }

    private void upgrade(DistributedReadWriteLock lock) {
      Runnable leave = visitor.lock(lock.readLock());
      if (leave == null) {
        return;
      }
      room.enter(1);
      Boolean alone = visitor.attempt(lock::tryUpgrade);
      room.leave(1);
      if (alone != null && alone) {
        stay(lock.writeLock()::unlock, READERS);
      }
      stay(leave, 1);
    }
  }

  /** Permits, one or two at a time. Of two, one may be given back first. */
  static final class Permits extends ExploredKind {
    Permits(Visitor visitor, Schedule schedule) {
      super(visitor, schedule, 2);
    }

    @Override
    void prepare(LockService service) {
      service.getSemaphore("x").trySetPermits(room.places());
    }

    @Override
    void force(LockService service) {
      boolean unused = service.getSemaphore("x").forceRelease();
    }

    @Override
    void visit(LockService service, boolean first) {
      DistributedSemaphore semaphore = service.getSemaphore("x");
      int wanted = 1 + visitor.choose(2);
      for (int i = visitor.choose(3); i > 0; i--) {
        crowd(semaphore, wanted);
      }
      Lease lease =
          visitor.attempt(() ->
              switch (visitor.choose(4)) {
                case 0 -> semaphore.tryAcquire(wanted).orElse(null);
                case 1 -> semaphore.tryAcquire(wanted, visitor.millis(40)).orElse(null);
                case 2 -> visitor.pending(semaphore.async(wanted));
                default -> semaphore.acquire(wanted);
              });
      if (lease == null) {
        return;
      }
      Runnable leave = visitor.leaving(lease);
      if (wanted == 1 || visitor.choose(2) == 0) {
        stay(leave, wanted);
      } else {
        room.enter(1);
        stay(visitor.returning(lease, 1), 1);
        schedule.point();
        room.leave(1);
        end(leave);
      }
    }

    /** One more request, so that permits are handed off. It gives them back at once. */
    private void crowd(DistributedSemaphore semaphore, int wanted) {
      CompletableFuture<Void> unused =
          semaphore
              .async(wanted)
              .acquire()
              .thenAccept(lease -> {
                room.enter(wanted);
                room.leave(wanted);
                CompletableFuture<Void> ignored = lease.releaseAsync();
              });
    }

    @Override
    void checkEnd(LockService service) {
      int free = service.getSemaphore("x").availablePermits();
      if (free != room.places()) {
        throw new AssertionError(free + " permits are free of " + room.places());
      }
    }
  }

  /** Two locks as one, in either order. */
  static final class Several extends ExploredKind {
    Several(Visitor visitor, Schedule schedule) {
      super(visitor, schedule, 1);
    }

    @Override
    void force(LockService service) {
      boolean unused = service.getFairLock("y").forceUnlock();
    }

    @Override
    void visit(LockService service, boolean first) {
      DistributedLock x = service.getLock("x");
      DistributedLock y = service.getFairLock("y");
      LeasedLock both = first ? MultiLock.of(x, y) : MultiLock.of(y, x);
      stay(visitor.choose(3) == 0 ? visitor.lease(both) : visitor.lock(both), 1);
    }
  }

  /** No thread passes before the count is zero. */
  static final class Latch extends ExploredKind {
    private static final int STEPS = 2;
    private int steps;

    Latch(Visitor visitor, Schedule schedule) {
      super(visitor, schedule, 0);
    }

    @Override
    void prepare(LockService service) {
      service.getCountDownLatch("x").trySetCount(STEPS);
    }

    @Override
    void visit(LockService service, boolean first) {
      DistributedCountDownLatch latch = service.getCountDownLatch("x");
      if (steps < STEPS) {
        steps++; // by the first thread; its command may come after others wait
        Boolean unused =
            visitor.attempt(() -> {
              latch.countDown();
              return true;
            });
        return;
      }
      Boolean open =
          visitor.attempt(() ->
              switch (visitor.choose(3)) {
                case 0 -> latch.await(visitor.choose(40), TimeUnit.MILLISECONDS);
                case 1 -> {
                  Void unused = Futures.await(latch.awaitAsync(), schedule);
                  yield true;
                }
                default -> {
                  latch.await();
                  yield true;
                }
              });
      Long left = visitor.attempt(latch::getCount);
      if (open != null && open && left != null && left != 0) {
        throw new AssertionError("passed at a count of " + left);
      }
    }
  }

  /** As many things are put as are taken, by a condition that all services share. */
  static final class ConditionWaiters extends ExploredKind {
    private int things;
    private int visits;

    ConditionWaiters(Visitor visitor, Schedule schedule) {
      super(visitor, schedule, 1);
    }

    @Override
    void visit(LockService service, boolean first) {
      DistributedLock lock = service.getLock("x");
      Condition some = lock.newCondition("some");
      boolean puts = visits++ % 2 == 0;
      while (visitor.attempt(() -> locked(lock)) == null) {
        schedule.point(); // a command failed
      }
      room.enter(1);
      try {
        if (puts) {
          put(some);
        } else {
          take(lock, some);
        }
      } finally {
        if (lock.isHeldByCurrentThread()) {
          room.leave(1);
          lock.unlock();
        }
      }
    }

    private static Boolean locked(DistributedLock lock) {
      lock.lock();
      return true;
    }

    /** Signals until a signal has succeeded for certain. */
    private void put(Condition some) {
      things++;
      boolean one = visitor.choose(2) == 0;
      Boolean told = null;
      while (told == null) {
        told =
            visitor.attempt(() -> {
              if (one) {
                some.signal();
              } else {
                some.signalAll();
              }
              return true;
            });
      }
    }

    /** A thread that is interrupted, or whose command failed, takes nothing. */
    private void take(DistributedLock lock, Condition some) {
      while (things == 0) {
        room.leave(1);
        Boolean woken =
            visitor.attempt(() -> {
              some.await();
              return true;
            });
        if (lock.isHeldByCurrentThread()) {
          room.enter(1);
        }
        if (woken == null) {
          return;
        }
      }
      things--;
    }
  }
}
