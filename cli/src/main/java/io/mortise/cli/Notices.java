package io.mortise.cli;

import java.io.PrintWriter;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * What {@code run} tells its user. A thread of its own writes it, because a write to stderr waits
 * for as long as nobody reads, and the command must end in time all the same.
 */
final class Notices implements AutoCloseable {
  private final PrintWriter err;
  private final boolean json;
  private final ExecutorService writer = Executors.newSingleThreadExecutor(Notices::thread);

  Notices(PrintWriter err, boolean json) {
    this.err = err;
    this.json = json;
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "mortise-run-notices");
    thread.setDaemon(true);
    return thread;
  }

  /** Tells something, and does not wait until it is written. */
  void tell(String what) {
    String line = Text.visible(what);
    writer.execute(() -> {
      err.println(json ? Json.of(Json.object("message", line)) : "mortise: " + line);
      err.flush();
    });
  }

  /** Waits until all is written. An interrupt ends the wait. */
  @Override
  public void close() {
    writer.shutdown();
    try {
      writer.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
