package io.mortise.micronaut;

/**
 * A method with {@link WithLock} could run without its lock, or cannot run with it. It stops the
 * start of the application.
 */
public final class LockedMethodException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param problem names class and method, and says what is wrong
   * @param nextStep says what to do
   */
  public LockedMethodException(String problem, String nextStep) {
    super(problem + ". " + nextStep);
  }
}
