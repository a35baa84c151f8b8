/**
 * What is made of other locks: the multi-lock, which holds all of its members, the Redlock, which
 * holds a majority of them, and the leader election, whose leader holds one. They use their members
 * only through {@code io.mortise.internal.lock.Member} and its leases, and send no commands of
 * their own. The package is not exported.
 *
 * <p>Where to start reading:
 *
 * <ol>
 *   <li>{@link io.mortise.internal.composite.MultiAttempt}: how a thread acquires all members
 *       without a deadlock. {@link io.mortise.internal.composite.MultiRequest} does the same for a
 *       lease.
 *   <li>{@link io.mortise.internal.composite.QuorumRequest}: the Redlock algorithm, round by round.
 *       {@link io.mortise.internal.composite.QuorumLease} keeps a majority after that.
 *   <li>{@link io.mortise.internal.composite.MultiLockHandle} and {@link
 *       io.mortise.internal.composite.QuorumLock} are what an application has.
 *   <li>{@link io.mortise.internal.composite.Election}: one lease after the other, and who is told.
 * </ol>
 */
@NullMarked
package io.mortise.internal.composite;

import org.jspecify.annotations.NullMarked;
