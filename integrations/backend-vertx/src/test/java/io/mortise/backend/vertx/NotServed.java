package io.mortise.backend.vertx;

import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Leaves out a test of the kit that fails by the backend's own words for what it does not serve:
 * clusters and sentinels, or waiting for replicas.
 */
final class NotServed implements TestExecutionExceptionHandler {
  private static final String MANY = "(redis|valkey)s?-(cluster|sentinel):";

  private static final Pattern WORDS =
      Pattern.compile(
          String.join(
              "|",
              MANY + "\\S* is a URI of a cluster or of sentinels, and mortise-backend-vertx serves",
              "'vertx' is installed but cannot serve '" + MANY,
              "the backend of \\S+ does not wait for replicas"));

  @Override
  public void handleTestExecutionException(ExtensionContext test, Throwable failure)
      throws Throwable {
    boolean isNotServed =
        Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
            .anyMatch(each -> WORDS.matcher(String.valueOf(each.getMessage())).find());
    if (isNotServed) {
      throw new TestAbortedException("not served: " + failure.getMessage(), failure);
    }
    throw failure;
  }
}
