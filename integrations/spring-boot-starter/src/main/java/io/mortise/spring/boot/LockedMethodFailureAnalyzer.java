package io.mortise.spring.boot;

import io.mortise.spring.LockedMethodException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** A method would run without its lock. */
final class LockedMethodFailureAnalyzer extends AbstractFailureAnalyzer<LockedMethodException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, LockedMethodException cause) {
    return new FailureAnalysis(cause.problem() + ".", cause.nextStep() + ".", cause);
  }
}
