package io.mortise.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The store of the locks cannot be told. */
final class LockStoreFailureAnalyzer extends AbstractFailureAnalyzer<LockStoreException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, LockStoreException cause) {
    return new FailureAnalysis(cause.problem() + ".", cause.nextStep() + ".", cause);
  }
}
