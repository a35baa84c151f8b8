package io.mortise.conformance.outside;

import io.mortise.Lease;
import io.mortise.LeasedLock;

/** A worker's hold of a lock of any kind. */
interface Hold {
  /** Whether the worker may believe now that it holds the lock. */
  boolean isGood();

  /** For how long from now that is promised (ns); 0 without a promise. */
  long promised();

  /** The fencing token, or 0. */
  long token();

  /** Releases the hold, and throws what the lock throws. */
  void leave();

  /** A hold of a thread. */
  static Hold of(LeasedLock lock, long token) {
    return new Hold() {
      @Override
      public boolean isGood() {
        return lock.isHeldByCurrentThread();
      }

      @Override
      public long promised() {
        return 0;
      }

      @Override
      public long token() {
        return token;
      }

      @Override
      public void leave() {
        lock.unlock();
      }
    };
  }

  static Hold of(Lease lease) {
    return new Hold() {
      @Override
      public boolean isGood() {
        return lease.isValid();
      }

      @Override
      public long promised() {
        return lease.remaining().toNanos();
      }

      @Override
      public long token() {
        return lease.fencingToken().orElse(0);
      }

      @Override
      public void leave() {
        lease.close();
      }
    };
  }

  /** A hold of nothing, or one whose lease is never checked. */
  static Hold blind(Runnable leaving) {
    return new Hold() {
      @Override
      public boolean isGood() {
        return true;
      }

      @Override
      public long promised() {
        return 0;
      }

      @Override
      public long token() {
        return 0;
      }

      @Override
      public void leave() {
        leaving.run();
      }
    };
  }
}
