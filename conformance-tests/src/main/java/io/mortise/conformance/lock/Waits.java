package io.mortise.conformance.lock;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Figures;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * How long turns were waited for. A lost message costs a re-check of 2 s, so one that is slow may
 * come of a busy machine, and more of them may not. Thread-safe.
 */
final class Waits {
  private static final long SLOW = TimeUnit.SECONDS.toNanos(1);
  private static final int MAY_BE_SLOW = 3;

  private final Queue<Long> nanos = new ConcurrentLinkedQueue<>();

  /** Notes a wait that ends now. */
  void since(long start) {
    nanos.add(System.nanoTime() - start);
  }

  int count() {
    return nanos.size();
  }

  /** Whether more were slow than a busy machine explains; then there is no need to go on. */
  boolean areTooSlow() {
    return slow() > MAY_BE_SLOW;
  }

  private long slow() {
    return nanos.stream().filter(wait -> wait > SLOW).count();
  }

  void assertFewSlow() {
    assertTrue(!areTooSlow(), () -> slow() + " of " + nanos.size() + " were slow");
  }

  /** The median, in milliseconds. */
  double median() {
    return nanos(0.5) / 1e6;
  }

  /** Milliseconds that this part of the waits did not take longer than; the longest for 1. */
  String millis(double quantile) {
    return "%.1f".formatted(nanos(quantile) / 1e6);
  }

  private long nanos(double quantile) {
    List<Long> sorted = nanos.stream().sorted().toList();
    int index = (int) Math.min(sorted.size() - 1, Math.round(quantile * sorted.size()));
    return sorted.get(index);
  }

  void note(Figures figures, String what) {
    figures.add(what + ", median ms", millis(0.5));
    figures.add(what + ", p99 ms", millis(0.99));
    figures.add(what + ", longest ms", millis(1));
  }
}
