package io.mortise.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A process and all below it. It keeps what it has seen, because a process whose parent has ended
 * is no longer below the root. Not thread-safe.
 */
final class ProcessTree {
  private static final int MOST_STOPS = 3;

  /** A process that is just starting another one does that before it stops. */
  private static final long UNTIL_STOPPED_MILLIS = 20;

  private final Set<ProcessHandle> seen = new LinkedHashSet<>();

  ProcessTree(ProcessHandle root) {
    seen.add(root);
    look();
  }

  /** Looks for processes that have started since the last look, and returns them. */
  List<ProcessHandle> look() {
    List<ProcessHandle> fresh = new ArrayList<>();
    Set<ProcessHandle> covered = new HashSet<>();
    for (ProcessHandle each : living()) {
      if (covered.add(each)) { // else a look from above has covered it
        try (Stream<ProcessHandle> below = each.descendants()) {
          below.peek(covered::add).filter(seen::add).forEach(fresh::add);
        }
      }
    }
    return fresh;
  }

  private List<ProcessHandle> living() {
    return seen.stream().filter(ProcessHandle::isAlive).toList();
  }

  boolean isAlive() {
    return seen.stream().anyMatch(ProcessHandle::isAlive);
  }

  /** Asks all to end. */
  void end() {
    seen.forEach(ProcessHandle::destroy);
  }

  /**
   * Ends all. It stops them first, because a process that still runs can start another one between
   * the last look and its own end.
   *
   * @param longest how long they may take to stop. A busy machine may need seconds to send a
   *     signal.
   */
  void kill(Duration longest) throws InterruptedException {
    long last = System.nanoTime() + longest.toNanos();
    List<ProcessHandle> running = living();
    for (int i = 0; i < MOST_STOPS && !running.isEmpty(); i++) {
      if (!stop(running, last - System.nanoTime())) {
        break;
      }
      TimeUnit.MILLISECONDS.sleep(UNTIL_STOPPED_MILLIS);
      running = look();
    }
    seen.forEach(ProcessHandle::destroyForcibly);
  }

  /** Stops them. Returns false if they run until they are killed. */
  private static boolean stop(List<ProcessHandle> running, long nanos) throws InterruptedException {
    if (!GuardedCommand.canGuard()) {
      return false;
    }
    try {
      Process sender = GuardedCommand.send("STOP", running);
      boolean sent = sender.waitFor(nanos, TimeUnit.NANOSECONDS);
      if (!sent) {
        sender.destroyForcibly(); // later the ids may be those of other processes
      }
      return sent;
    } catch (IOException e) {
      return false;
    }
  }
}
