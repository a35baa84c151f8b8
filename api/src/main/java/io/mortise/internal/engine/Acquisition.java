package io.mortise.internal.engine;

import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.told.HoldEvents;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockScripts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition in the store, from before its first command until after its last. It belongs to
 * no thread. Its {@link Asker} asks the store for it, and its {@link Grant} has the hold. The
 * threads of a gate take it over from each other, and so do the grants of leases. Readers share
 * one. Its id is never used again, so a late or repeated command cannot touch a later acquisition.
 *
 * <p>It has two halves:
 *
 * <ul>
 *   <li>The waiting half, {@link QueuePlace}. It is used by the gate's agent alone, or under the
 *       lease request's monitor. Messages and replies to other commands are the exceptions.
 *   <li>The held half, {@link HeldLease}. Any thread reads it. It is changed under its own monitor,
 *       in which nothing blocks. Exactly one call of {@link HeldLease#end} succeeds.
 * </ul>
 */
public final class Acquisition implements LockScripts.Subject {
  /** What asks the store for an acquisition: the gate of its threads, or a lease request. */
  public interface Asker {
    LockKeys keys();

    /** A message came: the store should be asked now. Called on any thread; does not block. */
    void wake();

    /**
     * The store has granted it the lock, with its lease. The reply to another command of this
     * service says so. Called on any thread; does not block.
     *
     * @param sentAt when that command was sent
     */
    void granted(Acquisition granted, long sentAt);
  }

  /**
   * What has the hold: a gate for its threads, a share for readers, or a lease that is bound to no
   * thread. Between two leases it may be one that nobody uses, at the {@link LeaseGate}.
   */
  public interface Grant {
    /**
     * The holder of an acquisition.
     *
     * @param who the holder, for messages
     * @param since when the hold began
     * @param gone why nobody can release it any more, for messages; null while somebody can
     * @param thread the thread that holds it; null for a lease that is bound to no thread
     * @param levels how many times the thread has locked it
     */
    record Holder(
        String who, long since, @Nullable String gone, @Nullable Thread thread, int levels) {}

    /** All that hold by this acquisition at the moment, the oldest first. */
    List<Holder> holders(Acquisition held);

    /**
     * One holder by this acquisition; null if there is none at the moment. Of several it is one
     * that can still release its hold, so the lease is renewed for it, if there is one.
     */
    default @Nullable Holder holder(Acquisition held) {
      List<Holder> all = holders(held);
      return all.stream()
          .filter(each -> each.gone() == null)
          .findFirst()
          .orElse(all.isEmpty() ? null : all.get(0));
    }

    /** The events of all holds of threads that share the acquisition, or shared it to its end. */
    default List<HoldEvents> sharedEvents() {
      return List.of();
    }

    /** Whether it keeps the hold though nobody uses it. So nobody is told of a loss. */
    default boolean retains(Acquisition held) {
      return false;
    }

    /** Whether it is bound to no thread, and so ends when its service is closed. */
    default boolean endsAtClose() {
      return false;
    }

    /**
     * Another request wants the lock, which it should give back soon. Called on any thread, also
     * late or twice; does not block.
     */
    default void wanted(Acquisition held) {}

    /** Messages about the acquisition may have been missed. Called on any thread. */
    default void missedMessages() {}

    /** What the members of one lease of several locks have in common; null for any other hold. */
    default @Nullable Object whole() {
      return null;
    }

    /** The thread that asked for the lease that is held, if it now waits for the same lock. */
    default @Nullable Thread waitingForItself() {
      return null;
    }

    /**
     * The lease is over.
     *
     * @return whether it was held until now
     */
    boolean lose(Acquisition held, Loss why);

    /** Listeners have been notified of a change of the lease. Called on the listeners' thread. */
    default void onLeaseChange(LeaseChange event) {}
  }

  /** Null once another grant has taken the hold over: nothing asks for it any more. */
  private volatile @Nullable Asker asker;

  private final LockKeys keys;
  private final String id;
  private final QueuePlace place = new QueuePlace();
  private final HeldLease held;
  private volatile Grant grant;

  /** Whether its service has forgotten it. */
  private volatile boolean forgotten;

  private boolean lossReported;

  Acquisition(Asker asker, Grant grant, String id, LeaseTerms lease, ClockSteps steps) {
    this.asker = asker;
    this.grant = grant;
    this.keys = asker.keys();
    this.id = id;
    held = new HeldLease(lease, steps);
  }

  /** What has the hold, or will have it. */
  public Grant grant() {
    return grant;
  }

  @Override
  public LockKeys keys() {
    return keys;
  }

  @Override
  public String id() {
    return id;
  }

  /** Its waiting half. */
  QueuePlace place() {
    return place;
  }

  /** Its held half. */
  public HeldLease lease() {
    return held;
  }

  @Override
  public String ticket() {
    return place.ticket();
  }

  @Override
  public boolean mayArriveLate() {
    return place.mayArriveLate();
  }

  /**
   * A message came: the store should be asked now. It may come before the reply that says to wait.
   */
  void signal() {
    place.signal();
    Asker known = asker;
    if (known != null) {
      known.wake();
    }
  }

  /** As {@link Asker#granted}. */
  void granted(long sentAt) {
    Asker known = asker;
    if (known != null) {
      known.granted(this, sentAt);
    }
  }

  /** As {@link QueuePlace#grantedByReply}; then wakes what asks for it. */
  void grantedByReply(long sentAt) {
    place.grantedByReply(sentAt);
    signal();
  }

  /** As {@link QueuePlace#grantedByMessage}; then wakes what asks for it. */
  void grantedByMessage() {
    place.grantedByMessage();
    signal();
  }

  /**
   * A force unlock ended this id's hold. From now on it cannot be taken, whatever reply says that
   * it holds the lock: such a reply is older.
   */
  synchronized void revoke() {
    place.revoke();
  }

  /** The outcome for an acquisition of which the store says that it holds the lock. */
  enum Taking {
    /** It is held. */
    HELD,
    /** It is not held: its lease has already ended. */
    TOO_LATE,
    /** It is not held: it was revoked meanwhile. */
    REVOKED
  }

  /**
   * The store says that this id holds the lock. One of two orders applies. If it is taken before it
   * is revoked, it can be lost. If it is revoked first, it cannot be taken.
   *
   * @param sentAt when the command was sent that the store answered
   * @param begins what begins with the hold, in the same step; it does not block
   */
  synchronized Taking take(
      LeaseTerms terms, long sentAt, long now, long longestHold, Runnable begins) {
    if (place.isRevoked()) {
      return Taking.REVOKED;
    }
    return held.take(terms, sentAt, now, longestHold, begins) ? Taking.HELD : Taking.TOO_LATE;
  }

  /** As {@link #take(LeaseTerms, long, long, long, Runnable)}, if nothing else begins. */
  Taking take(LeaseTerms terms, long sentAt, long now, long longestHold) {
    return take(terms, sentAt, now, longestHold, () -> {});
  }

  /**
   * Passes the hold to another grant, if it is held for certain, and was not made longer. A loss
   * comes before, or is that one's.
   *
   * @param change what changes with it, in the same step; it does not block
   * @return whether it has the next grant
   */
  boolean passTo(Grant next, Runnable change) {
    return held.pass(() -> {
      grant = next;
      asker = null; // or its listeners would stay, and what they refer to
      change.run();
    });
  }

  /**
   * Notes that listeners are about to be notified of a state.
   *
   * @return false if they already know that the hold is lost: a renewal that failed at the same
   *     moment, on another thread, is no news after that
   */
  synchronized boolean reports(LeaseState next) {
    boolean news = !lossReported;
    lossReported = lossReported || next == LeaseState.LOST;
    return news;
  }

  /** As {@link Grant#lose}, of what has the hold now. */
  boolean lose(Loss why) {
    return grant.lose(this, why);
  }

  void setForgotten() {
    forgotten = true;
  }

  /** Whether its service has forgotten it. */
  boolean isForgotten() {
    return forgotten;
  }
}
