package io.mortise.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * One line with the progress of a run. A terminal shows one line that is redrawn. Other outputs get
 * a new line each second. On a terminal the line is cut to the width, because a line that wraps
 * cannot be redrawn. If Ctrl-C ends the process, the line ends before the prompt. Thread-safe.
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

  /** The time between two lines. */
  Duration pace() {
    return terminal ? Duration.ofMillis(100) : Duration.ofSeconds(1);
  }

  /**
   * Shows a line. Outside a terminal it does so only if the last line is about a second old.
   *
   * @param line the full line
   * @param brief the short line for a narrow terminal
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

  /**
   * Runs something that does not tell how far it is. After a second, a terminal shows for how long
   * it has run. It is the last thing that this object shows.
   */
  <T> T during(String what, Supplier<T> work) {
    if (!terminal) {
      return work.get();
    }
    long start = System.nanoTime();
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    try {
      ScheduledFuture<?> unused =
          clock.scheduleAtFixedRate(
              () -> {
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
                show("%s: %,d s".formatted(what, seconds), what);
              },
              1,
              1,
              TimeUnit.SECONDS);
      return work.get();
    } finally {
      clock.shutdownNow();
      interrupt();
    }
  }

  /** Cuts the line. The last column stays free, because some terminals wrap when it is written. */
  private String fitting(String line, String brief) {
    return Text.begin(Text.columns(line) < columns ? line : brief, columns - 1);
  }

  /** Ends the line, so that further output begins on a new line. */
  synchronized void end() {
    if (terminal && !fresh) {
      err.println();
      err.flush();
    }
    fresh = true;
  }

  /** Ends the output because the process is about to end, perhaps within a line. */
  synchronized void interrupt() {
    end();
    interrupted = true;
  }
}
