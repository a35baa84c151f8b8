package io.mortise.spring;

/**
 * A method with {@link WithLock} could run without its lock, or cannot run with it. It stops the
 * start of the application.
 */
public final class LockedMethodException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What was found. */
  private final String problem;

  /** What to do. */
  private final String nextStep;

  /**
   * For Mortise itself.
   *
   * @param problem names bean, class and method, and says what is wrong
   * @param nextStep says what to do
   */
  public LockedMethodException(String problem, String nextStep) {
    super(problem + ". " + nextStep);
    this.problem = problem;
    this.nextStep = nextStep;
  }

  /**
   * What was found.
   *
   * @return bean, class and method, and what is wrong
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
