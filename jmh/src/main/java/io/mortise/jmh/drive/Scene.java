package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Site;
import java.util.concurrent.locks.Lock;

/**
 * The tasks of threads in one process with alternating contestants. Each thread repeats its pair.
 */
public enum Scene {
  /** One thread with its own lock. */
  OWN_LOCK("TurnsOwnLock", 1),
  /** Each thread with its own lock. */
  MANY_LOCKS("TurnsManyLocks", 16),
  /** All threads with one lock. */
  SHARED_LOCK("TurnsSharedLock", 8),
  /** All threads with one fair lock. */
  FAIR_LOCK("TurnsFairLock", 8),
  /** All threads with a semaphore of four permits. */
  PERMITS("TurnsPermits", 8),
  /** One reader. */
  READER("TurnsReader", 1),
  /** Readers of one read lock, without writers. */
  READERS("TurnsReaders", 16);

  private static final int FEW = 4;

  private final String id;
  private final int threads;

  Scene(String id, int threads) {
    this.id = id;
    this.threads = threads;
  }

  String id() {
    return id;
  }

  int threads() {
    return threads;
  }

  /** The step that a thread repeats. */
  interface Pair {
    void run() throws Exception;
  }

  Pair pair(Site site, int thread) {
    return switch (this) {
      case OWN_LOCK -> of(site.lock("turns-own"));
      case MANY_LOCKS -> of(site.lock("turns-own-" + thread));
      case SHARED_LOCK -> of(site.lock("turns-shared"));
      case FAIR_LOCK -> of(site.fairLock("turns-fair"));
      case PERMITS -> {
        Site.Semaphore semaphore = site.semaphore("turns-permits", FEW);
        yield () -> semaphore.acquire().run();
      }
      case READER, READERS -> of(site.readLock("turns-read"));
    };
  }

  private static Pair of(Lock lock) {
    return () -> {
      lock.lock();
      lock.unlock();
    };
  }
}
