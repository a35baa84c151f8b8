package io.mortise.internal.lock;

import io.mortise.LeasedLock;
import io.mortise.LockServiceClosedException;
import io.mortise.Registration;
import io.mortise.internal.engine.Batch;
import io.mortise.internal.engine.LeaseEvents;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.Pending;
import io.mortise.internal.engine.ThreadLeases;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.Names;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A lock of one service, as a lock made of several members needs it. */
public interface Member {
  /** The lock, as the application has it. No other thread shares its holds. */
  LeasedLock handle();

  /** The name of the lock. */
  String name();

  Member with(LeaseTerms lease);

  Member withMaxHold(Duration max);

  /**
   * Begins an attempt as {@link LeasedLock#tryLock()} does, and does not wait for the answer. It
   * waits for no service that only keeps the lock.
   */
  Pending begin();

  /**
   * Whether one command can acquire or release this member and another one: both are plain or fair
   * locks of one service, have the same lease, and their keys may be in one command.
   */
  boolean joins(Member other);

  /** A new batch, for this member and those that join it. */
  Batch batch();

  /**
   * As {@link #begin()}, by the command of a batch. Listeners are not told of it if another lock
   * kept the batch from being acquired.
   *
   * @return null if a thread of this service uses the lock at the moment, so that the member needs
   *     an attempt of its own
   */
  @Nullable Pending begin(Batch batch);

  /**
   * Begins what {@link LeasedLock#unlockAfter} does, by the command of a batch if one is needed.
   * {@link LeasedLock#unlock()} is that after no time.
   */
  Pending unlock(Batch batch, Duration after);

  /**
   * Identifies this lock: endpoint, key, service. The text is the same for all its handles. Its
   * order is the same in all processes that use the same names of endpoints.
   */
  String place();

  /** The key in which the server keeps the holds. */
  String key();

  /**
   * Members with a text in common are one lock, or two sides of one. Services of one store are
   * known by its endpoint, if it says which database they use.
   */
  Set<String> marks();

  /** Refuses members of which two are one lock, or two sides of one. */
  static void refuseTwice(List<Member> members, String composite) {
    Map<String, Member> known = new HashMap<>();
    for (Member each : members) {
      for (String mark : each.marks()) {
        Member other = known.put(mark, each);
        if (other != null) {
          throw new IllegalArgumentException(
              "lock '%s' is in the %s twice (%s and %s); give each lock once, and one side of a read/write lock"
                  .formatted(
                      Names.shown(each.name()),
                      composite,
                      Names.shown(other.place()),
                      Names.shown(each.place())));
        }
      }
    }
  }

  /**
   * The server and key prefix of this lock, which have one vote in a Redlock. The text is the same
   * in all processes that use the same names of endpoints.
   */
  String voter();

  /** Asks for a lease, as {@link LeaseSource#request}. */
  void request(long wait, CompletableFuture<LeaseOutcome> result);

  /** As {@link #request}, as a vote for a Redlock in quarantine. */
  void vote(VotingSet set, long wait, CompletableFuture<LeaseOutcome> result);

  /**
   * Asks this lock's server to accept a fencing token of a Redlock.
   *
   * @param token 0 to accept none
   * @return 0 if the server has accepted it; otherwise a number that a new token must exceed
   */
  CompletableFuture<Long> accept(long token, VotingSet set);

  /** Checks that this lock's server was never used, by this service's key prefix. */
  void checkUnused();

  /** Lets this lock's server vote for a set at once, if it has never voted. */
  void startVoting(VotingSet set);

  /** Whether holds by this handle are renewed until they are released. */
  boolean isRenewed();

  /**
   * Whether it may be held for any time while its holder waits for another lock: it is renewed, and
   * has no maximum.
   */
  boolean mayBeKept();

  /** Whether the calling thread's holds exclude a lease of this lock, also while in doubt. */
  boolean wouldWaitForItself();

  /** The lease that acquisitions by this handle ask for. */
  Duration lease();

  /** What is known of the store since its backend was opened. */
  BackendInfo store();

  /** Asks the server what a Redlock must know of it. */
  CompletableFuture<ServerFacts> server();

  /** The time that this lock's service follows. */
  TimeSource time();

  /** Runs callbacks of the application. */
  Executor executor();

  /** Throws {@link LockServiceClosedException} if this lock's service is closed. */
  void checkOpen();

  /**
   * Runs a task when this lock's service is closed, or at once if it is already closed.
   *
   * @param task runs on any thread; must not block
   */
  Registration onClose(Runnable task);

  /**
   * Waits until the store has answered what goes back of this lock at the moment, or has not
   * answered in time.
   */
  void awaitDeparted();

  /** The holds of threads, for locks made of several members whose first member this is. */
  ThreadLeases threadLeases();

  /**
   * As {@link LeasedLock#onLeaseChange}. The listener also gets what the members of one merged
   * lease have in common, or null.
   */
  Registration onLeaseChange(LeaseEvents.MemberListener listener);

  /** The thread that lost this acquisition and has not unlocked since; null if there is none. */
  @Nullable Thread loserOf(String acquisitionId);
}
