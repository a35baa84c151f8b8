package io.mortise.conformance.lock;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What can be forced open, and how a thread holds it. */
enum Forcible {
  PLAIN("") {
    @Override
    Handle of(LockService service, String name) {
      return new Inside(service.getLock(name));
    }
  },
  FAIR("") {
    @Override
    Handle of(LockService service, String name) {
      return new Inside(service.getFairLock(name));
    }
  },
  FENCED("") {
    @Override
    Handle of(LockService service, String name) {
      return new Inside(service.getFencedLock(name));
    }
  },
  WRITE("rw:") {
    @Override
    Handle of(LockService service, String name) {
      return new Inside(service.getReadWriteLock(name).writeLock());
    }
  },
  READ("rw:") {
    @Override
    Handle of(LockService service, String name) {
      return new Inside(service.getReadWriteLock(name).readLock());
    }
  },
  LEASE("") {
    @Override
    Handle of(LockService service, String name) {
      return new Leased(service.getLock(name));
    }
  },
  PERMIT("sem:") {
    @Override
    Handle of(LockService service, String name) {
      DistributedSemaphore semaphore = service.getSemaphore(name);
      semaphore.resize(1);
      return new Permitted(semaphore);
    }
  },
  SHARED_WITH_REDISSON("redisson:") {
    @Override
    Handle of(LockService service, String name) {
      return new Inside(service.getLock(name));
    }

    @Override
    LockService.Builder options(LockService.Builder builder) {
      return builder.redissonInterop(true);
    }

    @Override
    String script(String step) {
      return step;
    }
  };

  /** It, as threads of one service see it. */
  interface Handle {
    /** The calling thread takes it. */
    boolean take(boolean waits) throws InterruptedException;

    boolean isHeldBy(Thread thread);

    /** The calling thread gives back what it holds. */
    void giveBack();

    boolean force();

    /** Whether it is held, as the store sees it. */
    boolean isTaken();
  }

  private final String family;

  Forcible(String family) {
    this.family = family;
  }

  abstract Handle of(LockService service, String name);

  LockService.Builder options(LockService.Builder builder) {
    return builder;
  }

  /** What keeps it out. */
  Handle against(LockService service, String name) {
    return (this == READ ? WRITE : this).of(service, name);
  }

  /** The line in which it waits. */
  String queue(String name) {
    return "mortise:" + family + "queue:{" + name + '}';
  }

  /** The name of a script of its kind. */
  String script(String step) {
    return family.replace(':', '-') + step;
  }

  private record Inside(DistributedLock lock) implements Handle {
    @Override
    public boolean take(boolean waits) throws InterruptedException {
      if (waits) {
        lock.lockInterruptibly();
      }
      return waits || lock.tryLock();
    }

    @Override
    public boolean isHeldBy(Thread thread) {
      return lock.isHeldByThread(thread.getId());
    }

    @Override
    public void giveBack() {
      lock.unlock();
    }

    @Override
    public boolean force() {
      return lock.forceUnlock();
    }

    @Override
    public boolean isTaken() {
      return lock.isLocked();
    }
  }

  /** Leases, noted by the threads that took them. */
  private abstract static class Noted implements Handle {
    private final Map<Thread, Lease> leases = new ConcurrentHashMap<>();

    final boolean note(Lease lease) {
      leases.put(Thread.currentThread(), lease);
      return true;
    }

    @Override
    public final boolean isHeldBy(Thread thread) {
      Lease lease = leases.get(thread);
      return lease != null && lease.isValid();
    }

    @Override
    public final void giveBack() {
      Lease lease = leases.remove(Thread.currentThread());
      if (lease == null) {
        throw new AssertionError("it has no lease");
      }
      lease.close();
    }
  }

  private static final class Leased extends Noted {
    private final DistributedLock lock;

    Leased(DistributedLock lock) {
      this.lock = lock;
    }

    @Override
    public boolean take(boolean waits) throws InterruptedException {
      return waits
          ? note(lock.acquire())
          : lock.tryAcquire(Duration.ZERO).map(this::note).orElse(false);
    }

    @Override
    public boolean force() {
      return lock.forceUnlock();
    }

    @Override
    public boolean isTaken() {
      return lock.isLocked();
    }
  }

  private static final class Permitted extends Noted {
    private final DistributedSemaphore semaphore;

    Permitted(DistributedSemaphore semaphore) {
      this.semaphore = semaphore;
    }

    @Override
    public boolean take(boolean waits) throws InterruptedException {
      return waits
          ? note(semaphore.acquire())
          : semaphore.tryAcquire().map(this::note).orElse(false);
    }

    @Override
    public boolean force() {
      return semaphore.forceRelease();
    }

    @Override
    public boolean isTaken() {
      return semaphore.availablePermits() == 0;
    }
  }
}
