package io.mortise.jmh.question;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Decides when a warm-up is over: it has taken long enough, and its last two seconds had the same
 * speed. A warm-up without a steady speed ends after 30 seconds all the same, and its {@link
 * #drift} shows that.
 */
public final class Steadiness {
  /** The largest difference of the last two seconds, as a fraction of the faster one. */
  public static final double TOLERANCE = 0.1;

  /** The name of the figure for the number of seconds of a warm-up. */
  public static final String SECONDS = "warm-up, s";

  /** The name of the figure for the difference of its last two seconds. */
  public static final String DRIFT = "warm-up, drift";

  private static final int MOST = 30;

  private final int least;
  private final List<Double> speeds = new ArrayList<>();

  /**
   * Creates the state of a warm-up that begins.
   *
   * @param least the shortest time of the warm-up
   */
  public Steadiness(Duration least) {
    this.least = Math.toIntExact(least.toSeconds());
  }

  /**
   * Notes one second.
   *
   * @param pairs the number of pairs in that second
   * @return whether the warm-up is over
   */
  public boolean add(double pairs) {
    speeds.add(pairs);
    boolean still = speeds.size() >= least && drift() <= TOLERANCE;
    return still || speeds.size() >= MOST;
  }

  /**
   * The number of pairs in the first second.
   *
   * @return pairs
   */
  public double first() {
    return speeds.get(0);
  }

  /**
   * The length of the warm-up so far.
   *
   * @return seconds
   */
  public int seconds() {
    return speeds.size();
  }

  /**
   * The difference of the last two seconds.
   *
   * @return a fraction of the faster one; 1 after a single second
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
