package io.mortise.jmh.memory;

/** What a probe measures, in the order of a run: what takes minutes is first. */
enum Subject {
  /** Names that are locked and unlocked once. */
  NAMES_USED_ONCE("names used once", 1_000_000, 2_000) {
    @Override
    Load load(Order order) {
      return new NamesUsedOnce(order);
    }
  },
  /** So many held locks that their renewal is work. */
  LOCKS_HELD_AT_ONCE("locks held at once", 100_000, 1_000) {
    @Override
    Load load(Order order) {
      return new HeldLocks(order);
    }
  },
  /** A service with the connections and threads that one thread needs. */
  SERVICE("used by one thread", 8, 2) {
    @Override
    Load load(Order order) {
      return new Services(order, 1);
    }
  },
  /** A service after several threads have locked at the same time. */
  BUSY_SERVICE("used by 16 threads at once", 8, 2) {
    @Override
    Load load(Order order) {
      return new Services(order, 16);
    }
  },
  /** A lock that a thread holds and the service renews. */
  HELD_LOCK("a held lock", 10_000, 200) {
    @Override
    Load load(Order order) {
      return new HeldLocks(order);
    }
  },
  /** Threads of one service that wait for the same lock. */
  WAITING_THREAD("a waiting thread, all for one lock", 1_000, 20) {
    @Override
    Load load(Order order) {
      return new WaitingThreads(order, 1);
    }
  },
  /** Threads of one service that wait for a lock each. */
  WAITING_THREAD_ALONE("a waiting thread, each for its own lock", 200, 20) {
    @Override
    Load load(Order order) {
      return new WaitingThreads(order, order.size());
    }
  },
  /** Asynchronous acquisitions that wait for the same lock. */
  PENDING("a pending async acquisition, all for one lock", 1_000, 50) {
    @Override
    Load load(Order order) {
      return new PendingAcquisitions(order, 1);
    }
  },
  /** Asynchronous acquisitions that wait for a lock each. */
  PENDING_ALONE("a pending async acquisition, each for its own lock", 200, 20) {
    @Override
    Load load(Order order) {
      return new PendingAcquisitions(order, order.size());
    }
  };

  private final String title;
  private final int size;
  private final int quickSize;

  Subject(String title, int size, int quickSize) {
    this.title = title;
    this.size = size;
    this.quickSize = quickSize;
  }

  /** The load of the probe. */
  abstract Load load(Order order);

  /** The name for readers. */
  String title() {
    return title;
  }

  /** The number of objects that a probe brings into being. */
  int size(boolean quick) {
    return quick ? quickSize : size;
  }

  /** Whether one round takes minutes. */
  boolean isLarge() {
    return size >= 100_000;
  }
}
