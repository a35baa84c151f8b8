package io.mortise.backend.support;

import io.mortise.spi.Credentials;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a URI, by the groups of the pattern that it matches. They take the place of {@link
 * URI}'s own parts: {@code URI} finds no host in a name with an underscore.
 */
public final class UriParts {
  private final Matcher groups;

  private UriParts(Matcher groups) {
    this.groups = groups;
  }

  /**
   * Reads a URI. The message of a refusal quotes no part of it, because a secret that is not
   * encoded may end up in any part.
   *
   * @param uri any URI
   * @param form with the group {@code tls}, and with those that are asked for below
   * @param inWords the form, for the message
   * @return the parts
   * @throws IllegalArgumentException the URI has another form
   */
  public static UriParts of(URI uri, Pattern form, String inWords) {
    Matcher groups = form.matcher(uri.toString());
    if (!groups.matches()) {
      throw UriFault.in(uri, inWords);
    }
    return new UriParts(groups);
  }

  /**
   * Whether the scheme asks for TLS.
   *
   * @return true if the group {@code tls} is not empty
   */
  public boolean tls() {
    return !text("tls").isEmpty();
  }

  /**
   * A part as it is written.
   *
   * @param group its name
   * @return the text, empty if the URI has no such part
   */
  public String text(String group) {
    String text = groups.group(group);
    return text == null ? "" : text;
  }

  /**
   * A part without percent-encoding.
   *
   * @param group its name
   * @return null if the URI has no such part, or an empty one
   */
  public @Nullable String decoded(String group) {
    String text = text(group);
    return text.isEmpty()
        ? null
        : URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /**
   * A part that is a number.
   *
   * @param group its name, of digits alone
   * @param otherwise the number if the URI has no such part, or an empty one
   * @return the number
   */
  public int number(String group, int otherwise) {
    String digits = text(group);
    return digits.isEmpty() ? otherwise : Integer.parseInt(digits);
  }

  /**
   * The groups {@code user} and {@code password}.
   *
   * @return null without a password
   */
  public @Nullable Credentials credentials() {
    String password = decoded("password");
    return password == null ? null : new Credentials(decoded("user"), password);
  }
}
