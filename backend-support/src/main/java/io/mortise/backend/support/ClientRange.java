package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.security.CodeSource;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which versions of its client a backend works with. The application chooses the version, often by
 * its framework; one that lacks what the backend needs fails while a backend opens, and is then
 * told by name.
 *
 * @param module the backend's artifact
 * @param client the client's name
 * @param supported its versions, for the reader
 * @param type any class of the client
 */
public record ClientRange(String module, String client, String supported, Class<?> type) {
  private static final Pattern JAR = Pattern.compile("[^/]+\\.jar(?=[!/]*$)");

  /**
   * Opens a backend.
   *
   * @param <B> what is opened
   * @param opening touches the client
   * @return what it returns
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

  /** The jar, whose name has the version; not every client's manifest does. */
  private String found() {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    String place = source == null ? "a jar not known" : String.valueOf(source.getLocation());
    Matcher jar = JAR.matcher(place);
    return jar.find() ? jar.group() : place;
  }
}
