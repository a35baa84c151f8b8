package io.mortise.conformance.lock;

import io.mortise.DistributedLock;
import io.mortise.LeaseState;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a lock guards: notices whether somebody comes in while another is inside whose lease is
 * still good. Somebody whose lease is over may meet others; that is what the loss tells it.
 */
final class Room {
  private final AtomicReference<@Nullable Guest> inside = new AtomicReference<>();

  /** Who is inside, and whether another has come since. */
  private static final class Guest {
    volatile boolean met;
  }

  /**
   * Called by a thread that has just taken the lock; stays for a while.
   *
   * @return whether it was alone as long as its lease was good
   */
  boolean visit(DistributedLock lock, Runnable stay) {
    Guest guest = new Guest();
    Guest before = inside.getAndSet(guest);
    if (before != null) {
      before.met = true;
    }
    stay.run();
    boolean met = guest.met; // looked at first: who was met while the lease was good is a breach
    boolean good = lock.leaseState() != LeaseState.LOST;
    inside.compareAndSet(guest, null);
    return !(met && good);
  }
}
