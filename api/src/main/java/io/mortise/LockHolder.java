package io.mortise;

import java.time.Duration;
import java.util.Optional;

/**
 * Who held a lock when somebody looked.
 *
 * @param clientId the service, as its {@link LockService#clientId()} says; of a foreign client what
 *     it calls itself
 * @param host where it runs; empty if the id does not tell
 * @param pid its process; -1 if the id does not tell
 * @param threadId -1 if the id does not tell; the thread that took the lock from the store. Threads
 *     of a process pass a lock on among themselves without a word to the store, so it may be
 *     another one's by now
 * @param leaseLeft until the lease ends in the store
 * @param waiters how many wait in the store: threads of a fair or read/write lock, leases, and else
 *     one for each process
 * @param threadName of the thread that is inside; only if that is in the process that looks
 * @param heldFor how long that thread has been inside; only if that is in the process that looks
 */
public record LockHolder(
    String clientId,
    String host,
    long pid,
    long threadId,
    Duration leaseLeft,
    int waiters,
    Optional<String> threadName,
    Optional<Duration> heldFor) {}
