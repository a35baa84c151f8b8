package io.mortise.cli;

import java.io.PrintWriter;
import java.time.Duration;

/**
 * One line that tells how far a run is: drawn anew on a terminal, printed each second elsewhere.
 */
final class Progress {
  private static final long SHORTEST_GAP = Duration.ofMillis(700).toNanos();
  private static final String ERASE_REST = "\033[K";

  private final PrintWriter err;
  private final boolean terminal;
  private long shown;
  private boolean fresh = true;

  Progress(Streams streams) {
    err = streams.err();
    terminal = streams.terminal();
  }

  /** How long to wait between two lines. */
  Duration pace() {
    return terminal ? Duration.ofMillis(100) : Duration.ofSeconds(1);
  }

  /** Shows the line; elsewhere than on a terminal, only if the last is about a second old. */
  void show(String line) {
    long now = System.nanoTime();
    if (terminal) {
      err.print('\r' + line + ERASE_REST);
      err.flush();
    } else if (fresh || now - shown > SHORTEST_GAP) {
      err.println(line);
      shown = now;
      fresh = false;
    }
  }

  /** What follows begins on a line of its own. */
  void end() {
    fresh = true;
    if (terminal) {
      err.println();
    }
  }
}
