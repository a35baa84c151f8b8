package io.mortise.spring.boot;

import org.jspecify.annotations.Nullable;

/** The application's beans and properties do not lead to a lock service. */
final class LockStoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String problem;
  private final String nextStep;

  LockStoreException(String problem, String nextStep) {
    this(problem, nextStep, null);
  }

  LockStoreException(String problem, String nextStep, @Nullable Throwable cause) {
    super(problem + ". " + nextStep, cause);
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
