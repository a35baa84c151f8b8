package io.mortise.spring.boot;

import io.mortise.BackendUnavailableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The store of the locks cannot be reached, or refuses a command. */
final class BackendUnavailableFailureAnalyzer
    extends AbstractFailureAnalyzer<BackendUnavailableException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, BackendUnavailableException cause) {
    return new FailureAnalysis(
        "The lock service cannot be opened: " + cause.getMessage(),
        "Check that the server runs and that its address, user and password are right, in mortise.uri or in spring.data.redis.*. To start without it, set mortise.connect=first-use: then the first use of a lock connects.",
        cause);
  }
}
