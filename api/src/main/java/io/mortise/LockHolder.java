package io.mortise;

import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The holder of a lock at the moment of the question.
 *
 * @param id the acquisition id, as it is in the store; {@link DistributedLock#forceUnlock(String)}
 *     takes it
 * @param clientId the service, as {@link LockService#clientId()} gives it; for another library's
 *     client, the id that it uses itself
 * @param host the holder's host; empty if the id does not say
 * @param pid the holder's process id; -1 if the id does not say
 * @param threadId the thread that acquired the lock from the store; -1 if the id does not say.
 *     Threads of one service hand the lock off without a command, and so do its leases, so another
 *     one may hold it now
 * @param leaseLeft the time until the lease ends in the store
 * @param waiters the number of waiters in the store's queue: each thread of a fair or read/write
 *     lock, each lease request that does not wait inside its service, and otherwise one for each
 *     service
 * @param threadName the thread that holds the lock; only if this process holds it
 * @param heldFor how long that thread has held it; only if this process holds it
 * @param fencingToken the token of a {@linkplain FencedLock fenced} hold. Another process sees the
 *     token with which the service acquired the lock from the store: threads that got it by a
 *     hand-off have larger ones. Empty if the hold has no token, as after {@link
 *     DistributedLock#unlockAfter}
 */
public record LockHolder(
    String id,
    String clientId,
    String host,
    long pid,
    long threadId,
    Duration leaseLeft,
    int waiters,
    Optional<String> threadName,
    Optional<Duration> heldFor,
    OptionalLong fencingToken) {
  /** On one line: control characters are shown as escapes. */
  @Override
  public String toString() {
    return Names.shown(
        "LockHolder[id=%s, clientId=%s, host=%s, pid=%s, threadId=%s, leaseLeft=%s, waiters=%s, threadName=%s, heldFor=%s, fencingToken=%s]"
            .formatted(
                id,
                clientId,
                host,
                pid,
                threadId,
                leaseLeft,
                waiters,
                threadName,
                heldFor,
                fencingToken));
  }
}
