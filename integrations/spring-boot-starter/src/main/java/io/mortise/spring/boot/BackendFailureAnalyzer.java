package io.mortise.spring.boot;

import io.mortise.spi.BackendException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The store of the locks cannot be reached through a client of the application. */
final class BackendFailureAnalyzer extends AbstractFailureAnalyzer<BackendException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, BackendException cause) {
    return new FailureAnalysis(
        "The lock service cannot be opened: " + cause.getMessage(),
        "Check that the server runs and that spring.data.redis.* is right. To start without it, set mortise.connect=first-use: then the first use of a lock connects.",
        cause);
  }
}
