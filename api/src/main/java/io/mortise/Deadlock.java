package io.mortise;

import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Threads that wait for each other in a circle, perhaps in several processes. There was a moment in
 * which each of them held its lock and waited for the next. It may be over by now, if one of them
 * gave up or lost its lease.
 *
 * @param parties the threads. Each waits for the next one, and the last one for the first. The
 *     first one is the youngest: its wait began last
 */
public record Deadlock(List<Party> parties) {
  /** Copies the list. */
  public Deadlock {
    parties = List.copyOf(parties);
  }

  /**
   * One of the threads.
   *
   * @param clientId the service by which it holds its lock, as {@link LockService#clientId()} gives
   *     it
   * @param host its host
   * @param pid its process id
   * @param threadName the name of the thread
   * @param threadId the id of the thread
   * @param holds the lock that it holds and another party waits for, with its kind, as messages
   *     name it: {@code lock 'orders'}
   * @param waitsFor the lock that it waits for, in the same form
   * @param waitingFor for how long it had waited
   * @param stack where it waits: up to eight lines of the application, the innermost first
   */
  public record Party(
      String clientId,
      String host,
      long pid,
      String threadName,
      long threadId,
      String holds,
      String waitsFor,
      Duration waitingFor,
      List<String> stack) {
    /**
     * All of it on one line, as the log has it. Control characters are shown as escapes: another
     * process has sent some of the texts.
     */
    @Override
    public String toString() {
      return Names.shown(
          "%s, pid %d, thread %s holds %s and waits for %s since %d s, at %s"
              .formatted(
                  host,
                  pid,
                  threadName,
                  holds,
                  waitsFor,
                  waitingFor.toSeconds(),
                  stack.isEmpty() ? "an unknown place" : String.join(" < ", stack)));
    }
  }

  /** One line for each thread, as the log has it. */
  @Override
  public String toString() {
    String head = "deadlock of " + parties.size() + " threads:\n  ";
    return parties.stream().map(Party::toString).collect(Collectors.joining("\n  ", head, ""));
  }
}
