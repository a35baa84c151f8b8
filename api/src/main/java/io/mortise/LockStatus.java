package io.mortise;

import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.List;

/**
 * A lock or semaphore that was held in the store at the moment of the question, in any process.
 *
 * @param name the name, without prefix
 * @param kind {@link Kind#PLAIN} of plain, fair and fenced locks, which are one lock to the store;
 *     {@link Kind#READ} or {@link Kind#WRITE}, the side that is held; or {@link Kind#SEMAPHORE}
 * @param leaseLeft the time until the last of the leases ends in the store
 * @param holders the holders, at most 100, those first whose leases end last
 * @param waiters the waiters in the store's queue whose services are alive, at most 100, in the
 *     order of the queue. Threads that wait for others of their own service are not among them.
 *     Both sides of a read/write lock have one queue
 */
public record LockStatus(
    String name, Kind kind, Duration leaseLeft, List<Holder> holders, List<Waiter> waiters) {
  /** Copies the lists. */
  public LockStatus {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /** On one line: control characters are shown as escapes. */
  @Override
  public String toString() {
    return Names.shown(
        "LockStatus[name=%s, kind=%s, leaseLeft=%s, holders=%s, waiters=%s]"
            .formatted(name, kind, leaseLeft, holders, waiters));
  }

  /**
   * A holder.
   *
   * @param id the acquisition id, as it is in the store; {@link
   *     DistributedLock#forceUnlock(String)} takes it
   * @param clientId the service; for another library's client, the id that it uses itself
   * @param host the host; empty if the id does not say
   * @param pid the process id; -1 if the id does not say
   * @param threadId the thread that acquired it from the store; -1 if the id does not say
   * @param leaseLeft the time until its lease ends in the store
   */
  public record Holder(
      String id, String clientId, String host, long pid, long threadId, Duration leaseLeft) {
    /** On one line: control characters are shown as escapes. */
    @Override
    public String toString() {
      return Names.shown(
          "Holder[id=%s, clientId=%s, host=%s, pid=%s, threadId=%s, leaseLeft=%s]"
              .formatted(id, clientId, host, pid, threadId, leaseLeft));
    }
  }

  /**
   * A waiter.
   *
   * @param id the acquisition id, as it is in the store
   * @param clientId the service
   * @param host the host; empty if the id does not say
   * @param pid the process id; -1 if the id does not say
   * @param threadId the thread that joined the queue first; -1 if the id does not say. Of a plain
   *     lock another thread of its service may wait in its place now
   * @param waited how long it has been in the queue, by the server's clock
   */
  public record Waiter(
      String id, String clientId, String host, long pid, long threadId, Duration waited) {
    /** On one line: control characters are shown as escapes. */
    @Override
    public String toString() {
      return Names.shown(
          "Waiter[id=%s, clientId=%s, host=%s, pid=%s, threadId=%s, waited=%s]"
              .formatted(id, clientId, host, pid, threadId, waited));
    }
  }
}
