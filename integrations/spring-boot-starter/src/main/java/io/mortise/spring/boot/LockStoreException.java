package io.mortise.spring.boot;

/** The store of the application's locks cannot be told from its beans and properties. */
final class LockStoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String problem;
  private final String nextStep;

  LockStoreException(String problem, String nextStep) {
    super(problem + ". " + nextStep);
    this.problem = problem;
    this.nextStep = nextStep;
  }

  String problem() {
    return problem;
  }

  String nextStep() {
    return nextStep;
  }
}
