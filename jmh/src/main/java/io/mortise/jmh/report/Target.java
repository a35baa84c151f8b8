package io.mortise.jmh.report;

/**
 * What a quantity must be.
 *
 * @param text as the table has it; empty if nothing is asked
 * @param least the smallest value that is right
 * @param most the largest value that is right
 */
public record Target(String text, double least, double most) {
  /** A figure that is told, and not judged. */
  public static final Target NONE =
      new Target("", Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

  /** Faster than somebody else. */
  public static final Target AHEAD = new Target("> 1", Math.nextUp(1.0), Double.POSITIVE_INFINITY);

  /**
   * At least so much.
   *
   * @param least the smallest value that is right
   * @return a target
   */
  public static Target atLeast(double least) {
    return new Target("≥ " + Spread.number(least), least, Double.POSITIVE_INFINITY);
  }

  /**
   * At most so much.
   *
   * @param most the largest value that is right
   * @return a target
   */
  public static Target atMost(double most) {
    return new Target("≤ " + Spread.number(most), Double.NEGATIVE_INFINITY, most);
  }

  /** By the median; what not every round says so is told as well. */
  String verdict(Spread spread) {
    if (text.isEmpty()) {
      return "";
    }
    boolean reached = meets(spread.median());
    boolean always = meets(spread.least()) == reached && meets(spread.most()) == reached;
    return (reached ? "reached" : "**not reached**") + (always ? "" : ", not in every round");
  }

  private boolean meets(double value) {
    return value >= least && value <= most;
  }
}
