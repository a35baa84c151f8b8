package io.mortise.internal.discovery;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The URI of a store, as a user writes it. A message repeats only the parts that cannot be a
 * secret: host, port and database.
 */
public final class StoreUri {
  private static final Pattern PLACE =
      Pattern.compile("(?://)?(?<place>(?:[\\w.-]+|\\[[0-9a-fA-F:.]+]):\\d{1,5}(?:/\\d{0,5})?)");

  private static final Pattern SEVERAL_IPV6 =
      Pattern.compile(".*\\[[0-9a-fA-F:.]+](:\\d{1,5})?,\\[[0-9a-fA-F:.]+].*");

  /** What Azure and other services show for clients of .NET. */
  private static final Pattern SETTINGS =
      Pattern.compile(
          "(?<place>[\\w.-]+(?::\\d{1,5})?)(?:,[\\w.:-]+)*,\\s*\\w+\\s*=.*", Pattern.DOTALL);

  /** A line of a file of settings, a command, or a URI in quotes. */
  private static final Pattern SURROUNDED =
      Pattern.compile(
          "[^:]*[\\s=\"'](?<scheme>(?:redis|valkey)s?(?:-cluster|-sentinel)?://).*",
          Pattern.DOTALL);

  private StoreUri() {}

  /**
   * Reads a URI.
   *
   * @param given the URI, with a scheme; white space around it is left out
   * @return the parsed URI; perhaps no provider serves its scheme
   * @throws IllegalArgumentException the text is malformed or has no scheme
   */
  public static URI parse(String given) {
    String text = given.strip();
    refuseSettings(text);
    URI parsed;
    try {
      parsed = new URI(text);
    } catch (URISyntaxException e) {
      if (isPlace(text)) { // 127.0.0.1:6379: a scheme cannot begin with a digit
        throw noScheme(text);
      }
      if (SEVERAL_IPV6.matcher(text).matches()) {
        throw new IllegalArgumentException(
            "a URI cannot have several IPv6 addresses; write the names of the hosts, or one address");
      }
      // The exception's text would show the whole URI, with the password.
      throw new IllegalArgumentException(
          "the URI is malformed at character %d: %s; percent-encode special characters in user and password"
              .formatted(e.getIndex(), e.getReason()));
    }
    if (parsed.getScheme() == null) {
      throw noScheme(text);
    }
    return parsed;
  }

  /** Refuses what services show in other forms. */
  private static void refuseSettings(String text) {
    Matcher settings = SETTINGS.matcher(text);
    if (settings.matches()) {
      String scheme = text.matches("(?is).*,\\s*ssl\\s*=\\s*true\\b.*") ? "rediss" : "redis";
      throw new IllegalArgumentException(
          "this is a list of settings and no URI; write %s://:password@%s"
              .formatted(scheme, settings.group("place")));
    }
    Matcher surrounded = SURROUNDED.matcher(text);
    if (surrounded.matches()) {
      throw new IllegalArgumentException(
          "there is text around the URI; give only what begins with " + surrounded.group("scheme"));
    }
  }

  /** Whether the text is {@code host:port}. {@link URI} would take the host for a scheme. */
  static boolean isPlace(String text) {
    return PLACE.matcher(text).matches();
  }

  static IllegalArgumentException noScheme(String text) {
    Matcher place = PLACE.matcher(text);
    String example = place.matches() ? place.group("place") : "host:port";
    String what = place.matches() ? "'" + text + "'" : "the URI";
    return new IllegalArgumentException(
        "%s has no scheme; write redis://%s, rediss://%s for TLS, or memory:name"
            .formatted(what, example, example));
  }
}
