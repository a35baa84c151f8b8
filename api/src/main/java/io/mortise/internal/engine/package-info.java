/**
 * The mechanism behind every lock. It waits for a lock in the store's queue, takes it, renews its
 * lease, hands it off between threads, and gives it back. It sends the scripts of {@code
 * io.mortise.internal.wire}; the handles of {@code io.mortise.internal.lock} call it. The package
 * is not exported.
 *
 * <p>Where to start reading:
 *
 * <ol>
 *   <li>{@link io.mortise.internal.engine.Engine} composes the parts of one service.
 *   <li>{@link io.mortise.internal.engine.Gate} has the threads of one service that use one lock
 *       name. Its overview lists the states, the transitions and the invariants.
 *   <li>{@link io.mortise.internal.engine.Acquisition} is what the store sees: one id, with a
 *       waiting half and a held half.
 *   <li>{@link io.mortise.internal.engine.QueueWait} is a thread's wait in the store's queue, and
 *       {@link io.mortise.internal.engine.LeaseRequest} is the wait of a lease that is bound to no
 *       thread.
 *   <li>{@link io.mortise.internal.engine.LeaseKeeper} renews, {@link
 *       io.mortise.internal.engine.Releases} ends holds, and {@link
 *       io.mortise.internal.engine.Withdrawals} takes back what a thread gave up.
 *   <li>{@link io.mortise.internal.engine.Mailbox} receives the messages of the store.
 *   <li>{@link io.mortise.internal.engine.Closing} closes a service.
 * </ol>
 */
@NullMarked
package io.mortise.internal.engine;

import org.jspecify.annotations.NullMarked;
