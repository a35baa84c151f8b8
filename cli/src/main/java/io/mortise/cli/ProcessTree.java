package io.mortise.cli;

import java.io.IOException;
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
  private static final long LONGEST_STOP_MILLIS = 200;

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
   */
  void kill() throws InterruptedException {
    List<ProcessHandle> running = living();
    for (int i = 0; i < MOST_STOPS && !running.isEmpty(); i++) {
      stop(running);
      running = look();
    }
    seen.forEach(ProcessHandle::destroyForcibly);
  }

  private static void stop(List<ProcessHandle> running) throws InterruptedException {
    if (GuardedCommand.canGuard()) {
      try {
        GuardedCommand.send("STOP", running).waitFor(LONGEST_STOP_MILLIS, TimeUnit.MILLISECONDS);
      } catch (IOException e) {
        // They run until they are killed.
      }
    }
  }
}
