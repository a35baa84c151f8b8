package io.mortise.annotations.internal;

/**
 * An annotation does not fit its method. It reaches no application: each module throws an exception
 * of its own in its place.
 */
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What was found. */
  private final String problem;

  /** What to do. */
  private final String nextStep;

  Refusal(String problem, String nextStep) {
    super(problem + ". " + nextStep);
    this.problem = problem;
    this.nextStep = nextStep;
  }

  /** Class and method, and what is wrong. */
  public String problem() {
    return problem;
  }

  /** What to do. */
  public String nextStep() {
    return nextStep;
  }
}
