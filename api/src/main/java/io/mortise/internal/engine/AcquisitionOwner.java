package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;

import io.mortise.LeaseChange;
import org.jspecify.annotations.Nullable;

/** Whom an acquisition is for: the threads of a gate, or a lease that is bound to no thread. */
public interface AcquisitionOwner {
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
   * The store has let it in, with its lease; the reply to a command of another one of this service
   * says so. On any thread; does not block.
   *
   * @param sentAt when that command was sent
   */
  default void granted(Acquisition letIn, long sentAt) {
    letIn.signal();
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
