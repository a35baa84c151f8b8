package io.mortise.jmh.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A JVM with one contestant and one kind of objects. It reports its figures before they are there,
 * when they are there, and some time later. It waits for an order after each report.
 */
public final class Probe {
  static final String BEFORE = "BEFORE";
  static final String FILLED = "FILLED";
  static final String LATER = "LATER";

  private final Order order;
  private final PrintStream reports;
  private final BufferedReader orders;

  Probe(Order order, PrintStream reports, BufferedReader orders) {
    this.order = order;
    this.reports = reports;
    this.orders = orders;
  }

  /**
   * Runs the probe; {@link Trial} starts it.
   *
   * @param words an order
   */
  public static void main(String[] words) {
    try {
      new Probe(
              Order.parse(words),
              System.out,
              new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)))
          .run();
    } catch (Exception e) {
      System.err.println("    the probe failed: " + e);
    }
    System.exit(0); // ends all threads that a contestant has left
  }

  void run() throws Exception {
    try (Load load = order.subject().load(order)) {
      load.prepare();
      settle();
      report(BEFORE);
      load.fill();
      settle();
      report(FILLED);
      load.check();
      report(LATER);
    }
  }

  private void settle() throws InterruptedException {
    Thread.sleep(order.settle().toMillis());
  }

  private void report(String step) throws InterruptedException, IOException {
    reports.println(step + ' ' + JvmFigures.now());
    orders.readLine();
  }
}
