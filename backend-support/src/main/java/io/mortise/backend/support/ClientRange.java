package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.security.CodeSource;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of a client library that a backend works with. The application chooses the version,
 * often through its framework. A version that lacks something the backend needs fails while a
 * backend opens, and the message then names the version.
 *
 * @param module the backend's artifact
 * @param client the client's name
 * @param supported the supported versions, for the reader
 * @param type any class of the client
 */
public record ClientRange(String module, String client, String supported, Class<?> type) {
  private static final Pattern JAR = Pattern.compile("[^/]+\\.jar(?=[!/]*$)");

  /**
   * Opens a backend.
   *
   * @param <B> the type of the backend
   * @param opening uses the client
   * @return the result of {@code opening}
   * @throws BackendException the client lacks a class, a method or a field; nothing was executed
   */
  public <B> B open(Supplier<B> opening) {
    try {
      return opening.get();
    } catch (LinkageError e) {
      String message =
          "%s does not link with its client: %s found, %s %s supported (docs/troubleshooting.md#client-version)"
              .formatted(module, found(), client, supported);
      throw new BackendException(Outcome.NOT_EXECUTED, message, e);
    }
  }

  /** The client's jar, whose name contains the version. Not every client's manifest does. */
  private String found() {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    String place = source == null ? "an unknown jar" : String.valueOf(source.getLocation());
    Matcher jar = JAR.matcher(place);
    return jar.find() ? jar.group() : place;
  }
}
