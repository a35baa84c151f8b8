package io.mortise.cli;

import java.io.PrintWriter;
import java.time.Duration;

/**
 * One line that tells how far a run is: drawn anew on a terminal, printed each second elsewhere. On
 * a terminal it is cut to the width, since a line that wraps cannot be drawn anew; and if Ctrl-C
 * ends the process, it ends before the prompt. Thread-safe.
 */
final class Progress {
  private static final long SHORTEST_GAP = Duration.ofMillis(700).toNanos();
  private static final String ERASE_REST = "\033[K";

  private final PrintWriter err;
  private final boolean terminal;
  private final int columns;
  private long shown;
  private boolean fresh = true;
  private boolean interrupted;

  Progress(Streams streams) {
    err = streams.err();
    terminal = streams.terminal();
    columns = streams.columns();
  }

  /** How long to wait between two lines. */
  Duration pace() {
    return terminal ? Duration.ofMillis(100) : Duration.ofSeconds(1);
  }

  /**
   * Shows a line; elsewhere than on a terminal, only if the last is about a second old.
   *
   * @param line in full
   * @param brief the same for a terminal that is too narrow
   */
  synchronized void show(String line, String brief) {
    long now = System.nanoTime();
    if (interrupted) {
      return;
    }
    if (terminal) {
      err.print('\r' + fitting(line, brief) + ERASE_REST);
      err.flush();
      fresh = false;
    } else if (fresh || now - shown > SHORTEST_GAP) {
      err.println(line);
      shown = now;
      fresh = false;
    }
  }

  /** The last column stays free: some terminals wrap when it is written. */
  private String fitting(String line, String brief) {
    String text = line.length() < columns ? line : brief;
    return text.length() < columns ? text : text.substring(0, Math.max(0, columns - 1));
  }

  /** What follows begins on a line of its own. */
  synchronized void end() {
    if (terminal && !fresh) {
      err.println();
      err.flush();
    }
    fresh = true;
  }

  /** The process is about to end, in the middle of a line or not. Nothing is shown after this. */
  synchronized void interrupt() {
    end();
    interrupted = true;
  }
}
