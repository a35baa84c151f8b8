package io.mortise.internal.engine;

import io.mortise.LeaseChange;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockScripts;
import io.mortise.internal.wire.QueueTimes;
import org.jspecify.annotations.Nullable;

/**
 * One remote acquisition, from before its first command until after its last. It belongs to a gate
 * or a lease, not to a thread: threads of a gate take it over from each other. Its id is never used
 * again, so a late or repeated command cannot touch a later acquisition.
 *
 * <p>The waiting side is used by the gate's agent alone, or under the lease's monitor, but for what
 * messages and the replies to others' commands say. The held side is read by anybody and changed
 * under this object's monitor, in which nothing blocks; exactly one call of {@link #end} succeeds.
 */
public final class Acquisition implements LockScripts.Subject {
  /** Whom an acquisition is for: the threads of a gate, or a lease that is bound to no thread. */
  public interface Owner {
    /**
     * Who holds an acquisition.
     *
     * @param who for people
     * @param since when they came in
     * @param gone what became of them, for people; null while they may still release it
     */
    record Holder(String who, long since, @Nullable String gone) {}

    LockKeys keys();

    /** A message came: the store should be asked now. On any thread; does not block. */
    void wake();

    /**
     * The store has let it in, with its lease; the reply to a command of another one of this
     * service says so. On any thread; does not block.
     *
     * @param sentAt when that command was sent
     */
    default void granted(Acquisition granted, long sentAt) {
      granted.signal();
    }

    /** Who is inside by this acquisition; null if nobody is at the moment. */
    @Nullable Holder holder(Acquisition held);

    /** The thread that asked for what is held, if it waits for the same lock at the moment. */
    default @Nullable Thread waitingForItself() {
      return null;
    }

    /**
     * The lease is over.
     *
     * @return whether it was held until now
     */
    public boolean lose(Acquisition held, String reason);

    /** Listeners have been told of the lease. On the listeners' thread. */
    default void told(LeaseChange event) {}
  }

  private final Owner owner;
  private final String id;
  private final QueuePlace place = new QueuePlace();
  private final HeldLease held;

  /** Whether its service has let go of it. */
  private volatile boolean forgotten;

  public Acquisition(Owner owner, String id, LeaseTerms lease) {
    this.owner = owner;
    this.id = id;
    held = new HeldLease(lease);
  }

  public Owner owner() {
    return owner;
  }

  public LockKeys keys() {
    return owner.keys();
  }

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
   * A message came: the store should be asked now. It may come before the answer that says to wait.
   */
  void signal() {
    place.signal();
    owner.wake();
  }

  /** As {@link QueuePlace#grantedByReply}, and its owner looks. */
  void grantedByReply(long sentAt) {
    place.grantedByReply(sentAt);
    signal();
  }

  /** As {@link QueuePlace#grantedByMessage}, and its owner looks. */
  void grantedByMessage(long grantedAt, int epoch, LeaseTerms whole, long now, QueueTimes times) {
    place.grantedByMessage(grantedAt, epoch, whole, now, times);
    signal();
  }

  /**
   * Somebody forced the lock open when this id held it. It cannot be taken from now on, whatever
   * answer says that it holds the lock: such an answer is older.
   */
  synchronized void revoke() {
    place.revoke();
  }

  /** What becomes of an acquisition of which the store says that it holds the lock. */
  enum Taking {
    /** It is held. */
    HELD,
    /** It is not: its lease has already ended. */
    TOO_LATE,
    /** It is not: it was revoked meanwhile. */
    REVOKED
  }

  /**
   * The store says that this id holds the lock. Either it is taken before it is revoked, and then
   * it can be lost; or it is revoked before, and cannot be taken.
   *
   * @param sentAt when the command was sent that it answered
   */
  synchronized Taking take(LeaseTerms terms, long sentAt, long now, long longestHold) {
    if (place.isRevoked()) {
      return Taking.REVOKED;
    }
    return held.take(terms, sentAt, now, longestHold) ? Taking.HELD : Taking.TOO_LATE;
  }

  void setForgotten() {
    forgotten = true;
  }

  /** Whether its service has let go of it. */
  boolean isForgotten() {
    return forgotten;
  }
}
