package io.mortise.jmh.question;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * When a warm-up is over: it has taken long enough, and its last two seconds went at the same
 * speed. A warm-up that never stands still ends all the same, and its {@link #drift} says so.
 */
public final class Steadiness {
  /** By how much the last two seconds may differ, as a part of the faster one. */
  public static final double TOLERANCE = 0.1;

  /** The name of the figure that says how many seconds a warm-up took. */
  public static final String SECONDS = "warm-up, s";

  /** The name of the figure that says by how much its last two seconds differed. */
  public static final String DRIFT = "warm-up, drift";

  private static final int MOST = 30;

  private final int least;
  private final List<Double> speeds = new ArrayList<>();

  /**
   * Of a warm-up that begins.
   *
   * @param least the time that it takes at least
   */
  public Steadiness(Duration least) {
    this.least = Math.toIntExact(least.toSeconds());
  }

  /**
   * Notes one second.
   *
   * @param pairs what was done in it
   * @return whether the warm-up is over
   */
  public boolean add(double pairs) {
    speeds.add(pairs);
    boolean still = speeds.size() >= least && drift() <= TOLERANCE;
    return still || speeds.size() >= MOST;
  }

  /**
   * What was done in its first second.
   *
   * @return pairs
   */
  public double first() {
    return speeds.get(0);
  }

  /**
   * How long it has taken.
   *
   * @return seconds
   */
  public int seconds() {
    return speeds.size();
  }

  /**
   * By how much the last two seconds differ.
   *
   * @return as a part of the faster one; 1 after a single second
   */
  public double drift() {
    if (speeds.size() < 2) {
      return 1;
    }
    double last = speeds.get(speeds.size() - 1);
    double before = speeds.get(speeds.size() - 2);
    double fastest = Math.max(last, before);
    return fastest == 0 ? 0 : Math.abs(last - before) / fastest;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%d %.4f", seconds(), drift());
  }
}
