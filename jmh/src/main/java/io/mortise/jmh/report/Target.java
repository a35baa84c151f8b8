package io.mortise.jmh.report;

/**
 * The target of a quantity.
 *
 * @param text the target in the table; empty without a target
 * @param least the smallest value that reaches the target
 * @param most the largest value that reaches the target
 * @param possible the largest credible value; a larger one means that something disturbed the run
 */
public record Target(String text, double least, double most, double possible) {
  private static final double ANY = Double.POSITIVE_INFINITY;

  /** No target: the figure is shown and not judged. */
  public static final Target NONE = new Target("", Double.NEGATIVE_INFINITY, ANY, ANY);

  /** Faster than another contestant. */
  public static final Target AHEAD = new Target("> 1", Math.nextUp(1.0), ANY, ANY);

  /**
   * At least a value.
   *
   * @param least the smallest value that reaches the target
   * @return a target
   */
  public static Target atLeast(double least) {
    return new Target("≥ " + Spread.number(least), least, ANY, ANY);
  }

  /**
   * At least a fraction of something that cannot be outdone.
   *
   * @param least the smallest value that reaches the target
   * @return a target
   */
  public static Target ofFloor(double least) {
    return new Target("≥ " + Spread.number(least), least, ANY, 1.1);
  }

  /**
   * At most a value.
   *
   * @param most the largest value that reaches the target
   * @return a target
   */
  public static Target atMost(double most) {
    return new Target("≤ " + Spread.number(most), Double.NEGATIVE_INFINITY, most, ANY);
  }

  /** The verdict by the median. It mentions rounds with another verdict. */
  String verdict(Spread spread) {
    if (text.isEmpty()) {
      return "";
    }
    if (spread.most() > possible) {
      return "**not credible**: more than is possible, so the machine was disturbed";
    }
    boolean reached = meets(spread.median());
    boolean always = meets(spread.least()) == reached && meets(spread.most()) == reached;
    return (reached ? "reached" : "**not reached**") + (always ? "" : ", not in every round");
  }

  private boolean meets(double value) {
    return value >= least && value <= most;
  }
}
