package io.mortise;

import io.mortise.internal.composite.Election;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * One candidate of a leader election. All that join with the same fenced lock are candidates of one
 * election, and the holder of the lock leads. Thread-safe.
 *
 * <pre>{@code
 * FencedLock lock = locks.getFencedLock("reports");
 * try (LeaderElection election = LeaderElection.join(lock, new LeaderElection.Leader() {
 *   public void onElected(long term) { scheduler.start(term); }
 *   public void onRevoked(long term, Optional<LossCause> loss) { scheduler.stop(); }
 * })) {
 *   // as long as the process is a candidate
 * }
 * }</pre>
 *
 * <p><b>Terms.</b> A term is the time of one leader. Its number is the fencing token of the lease,
 * so each term has a larger number than all before it, also after a loss of the store's data.
 * {@link JdbcGuard} and {@link KeyGuard} take it, and refuse a leader that was replaced without
 * knowing.
 *
 * <p><b>At most one leader.</b> At most one {@link #isLeader} is true at any time, as at most one
 * lease of the lock is valid. What {@link Leader#onElected} has started may run on until {@link
 * Leader#onRevoked} has stopped it. So work that must not be done by two asks {@code isLeader} or
 * sends its term along.
 *
 * <p><b>Losses.</b> A leader whose lease is lost is told, and is a candidate again when {@code
 * onRevoked} has returned. A leader whose process dies is replaced when its lease ends in the
 * store, 30 s after the last renewal by default. If the store does not answer, a candidate asks
 * again after 1 s, then after twice as long each time, up to 30 s.
 *
 * <p><b>Order.</b> With a {@link FencedLock}, candidates lead in the order in which they joined the
 * lock's queue. One that has led joins it again at its end.
 *
 * <p><b>End.</b> A candidate goes on until {@link #close}, or until its service begins to close,
 * also if nothing refers to this object. A leader is then told {@link LossCause#SERVICE_CLOSED}.
 *
 * <p><b>Cost.</b> A waiting candidate sends as much as every waiter: one command to join, and one
 * every 2 s. A leader sends its renewal, together with those of the service's other holds. {@link
 * #isLeader} and {@link #term} send none. No thread is used.
 *
 * <p>The leader is the {@linkplain DistributedLock#holder() holder} of the lock, with its term as
 * {@link LockHolder#fencingToken}. Any process can ask, also one that is no candidate.
 */
public interface LeaderElection extends AutoCloseable {
  /**
   * What a candidate does as the leader. Of one candidate no two calls run at the same time: each
   * {@link #onElected} is followed by one {@link #onRevoked} of the same term, and that by the next
   * {@code onElected}.
   *
   * <p>The calls run on the executor of the lock's service, with one exception: {@link
   * LeaderElection#close} runs {@code onRevoked} on its own thread. Other callbacks of the service
   * may wait meanwhile, so a call must not block for long. Renewal does not depend on it.
   */
  interface Leader {
    /**
     * This candidate leads. The lease is held while this runs, and renewed. If it throws, the
     * exception is logged, and the candidate steps down for 1 s, then for twice as long each time,
     * up to 1 minute.
     *
     * @param term the number of the term, larger than all before it
     */
    void onElected(long term);

    /**
     * This candidate leads no more. It is called once for each {@link #onElected}, after that has
     * returned or thrown. Without a loss the lock is still held, and is given back when this
     * returns: so the next leader begins after this one has stopped. What it throws is logged.
     *
     * @param term the number of the term that ends
     * @param loss why the lease was lost; empty if the candidate stepped down or was closed
     */
    void onRevoked(long term, Optional<LossCause> loss);
  }

  /**
   * Joins the election of this lock, as a candidate from now on. It returns at once. The first call
   * of {@code onElected} may come before that.
   *
   * @param lock a fenced lock of an open {@link LockService}. With a fixed lease or a max hold,
   *     each term ends at that time.
   * @param leader told when this candidate leads, and when it leads no more
   * @return the candidate, which the caller closes
   * @throws IllegalArgumentException the lock is not from a {@code LockService}
   * @throws LockServiceClosedException the service is closed or closing
   */
  static LeaderElection join(FencedLock lock, Leader leader) {
    return Election.join(lock, leader);
  }

  /**
   * As {@link #join(FencedLock, Leader)}, on a majority of several servers. Candidates do not lead
   * in their order then. The candidate ends when the first of its services is closed.
   *
   * @param lock a Redlock of members of open services
   * @param leader told when this candidate leads, and when it leads no more
   * @return the candidate, which the caller closes
   * @throws IllegalArgumentException the lock is not from {@link RedLock#fenced()}
   * @throws LockServiceClosedException a service is closed or closing
   */
  static LeaderElection join(FencedRedLock lock, Leader leader) {
    return Election.join(lock, leader);
  }

  /**
   * The name of the lock.
   *
   * @return the name, without prefix
   */
  String name();

  /**
   * Whether this candidate leads now. It is false from the moment at which the lease is over,
   * whether or not that is known elsewhere, and from the moment at which the candidate steps down
   * or is closed. A process that was stopped for longer than its lease gets false. It sends no
   * command.
   *
   * @return whether no other candidate can lead
   */
  boolean isLeader();

  /**
   * The term in which this candidate leads now. It sends no command.
   *
   * @return empty if {@link #isLeader} is false
   */
  OptionalLong term();

  /**
   * Gives the leadership up, and stands again after a pause. {@link Leader#onRevoked} is called,
   * and then the lock is given back. Does nothing if this candidate does not lead. A term that
   * already ends keeps the pause that it has.
   *
   * @param pause how long this is no candidate, at most 10,000 days; zero or negative: it joins the
   *     queue at once, at its end. Nobody leads meanwhile if there is no other candidate.
   * @return a future that completes when the lock is given back, or the store cannot be reached; it
   *     does not fail. Completing it changes nothing.
   * @throws IllegalArgumentException the pause is too long
   */
  CompletableFuture<Void> stepDown(Duration pause);

  /**
   * Ends this candidate. If it leads, this calls {@link Leader#onRevoked} on this thread, and then
   * gives the lock back. If another thread runs a callback of this candidate, this waits for its
   * end. An interrupt ends that wait, and the flag stays set. Then this waits until the store has
   * answered what is given back, for the command timeout at most. In its own callbacks it does not
   * wait, and the rest follows when the callback has returned. Idempotent.
   *
   * @throws IllegalStateException this thread must not block, since replies come over it; nothing
   *     has happened
   */
  @Override
  void close();
}
