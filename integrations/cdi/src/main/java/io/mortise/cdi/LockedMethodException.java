package io.mortise.cdi;

/**
 * A method with {@link WithLock} cannot run with its lock: the annotation does not fit the method,
 * or there is no lock service for it. The method did not run, and nothing was acquired.
 */
public final class LockedMethodException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What was found. */
  private final String problem;

  /** What to do. */
  private final String nextStep;

  LockedMethodException(String problem, String nextStep) {
    super(problem + ". " + nextStep);
    this.problem = problem;
    this.nextStep = nextStep;
  }

  /**
   * What was found.
   *
   * @return class and method, and what is wrong
   */
  public String problem() {
    return problem;
  }

  /**
   * What to do.
   *
   * @return a sentence
   */
  public String nextStep() {
    return nextStep;
  }
}
