package io.mortise.spring.boot;

import io.mortise.NoBackendException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** No backend fits mortise.uri. */
final class NoBackendFailureAnalyzer extends AbstractFailureAnalyzer<NoBackendException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, NoBackendException cause) {
    return new FailureAnalysis(
        "The lock service cannot be opened: " + cause.getMessage(),
        "Add the backend for mortise.uri, such as mortise-backend-inmemory for memory:, or name one of several with mortise.backend.",
        cause);
  }
}
