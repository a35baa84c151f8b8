package io.mortise.backend.inmemory;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the steps of counted classes: each call of one of their methods, and each jump back in a
 * loop. There is one of it for the tests and for the classes that a {@link CountingLoader} has
 * loaded.
 */
public final class Steps {
  private static final LongAdder COUNT = new LongAdder();

  private Steps() {}

  /** Called by counted classes only. */
  public static void step() {
    COUNT.increment();
  }

  /** The steps so far, of all threads. */
  public static long count() {
    return COUNT.sum();
  }
}
