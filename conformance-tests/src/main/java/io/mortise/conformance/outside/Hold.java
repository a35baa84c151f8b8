package io.mortise.conformance.outside;

import io.mortise.Lease;
import io.mortise.LeasedLock;

/** A lock that a worker has, whatever its kind. */
interface Hold {
  /** Whether its worker may believe now that nobody else is inside. */
  boolean isGood();

  /** For how long from now that is promised (ns); 0 if nothing is. */
  long promised();

  /** Its fencing token, or 0. */
  long token();

  /** Gives it back; throws what the lock throws. */
  void leave();

  /** A thread's hold. */
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

  /** A hold of nothing, or of something that nobody looks at. */
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
