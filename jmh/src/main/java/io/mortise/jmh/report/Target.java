package io.mortise.jmh.report;

/**
 * What a quantity must be.
 *
 * @param text as the table has it; empty if nothing is asked
 * @param least the smallest value that is right
 * @param most the largest value that is right
 * @param possible the largest value to believe: above it, something disturbed the run
 */
public record Target(String text, double least, double most, double possible) {
  private static final double ANY = Double.POSITIVE_INFINITY;

  /** A figure that is told, and not judged. */
  public static final Target NONE = new Target("", Double.NEGATIVE_INFINITY, ANY, ANY);

  /** Faster than somebody else. */
  public static final Target AHEAD = new Target("> 1", Math.nextUp(1.0), ANY, ANY);

  /**
   * At least so much.
   *
   * @param least the smallest value that is right
   * @return a target
   */
  public static Target atLeast(double least) {
    return new Target("≥ " + Spread.number(least), least, ANY, ANY);
  }

  /**
   * At least so much of something that cannot be outdone.
   *
   * @param least the smallest value that is right
   * @return a target
   */
  public static Target ofFloor(double least) {
    return new Target("≥ " + Spread.number(least), least, ANY, 1.1);
  }

  /**
   * At most so much.
   *
   * @param most the largest value that is right
   * @return a target
   */
  public static Target atMost(double most) {
    return new Target("≤ " + Spread.number(most), Double.NEGATIVE_INFINITY, most, ANY);
  }

  /** By the median; what not every round says so is told as well. */
  String verdict(Spread spread) {
    if (text.isEmpty()) {
      return "";
    }
    if (spread.most() > possible) {
      return "**not credible**: more than is possible, the machine was disturbed";
    }
    boolean reached = meets(spread.median());
    boolean always = meets(spread.least()) == reached && meets(spread.most()) == reached;
    return (reached ? "reached" : "**not reached**") + (always ? "" : ", not in every round");
  }

  private boolean meets(double value) {
    return value >= least && value <= most;
  }
}
