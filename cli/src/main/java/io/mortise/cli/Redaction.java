package io.mortise.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Removes user and password from output. It removes the user infos of the arguments wherever an
 * error repeats them, and the user info of any other text in the form of a Redis URI.
 */
final class Redaction {
  /** A bracket after the slashes begins a syntax, as in help texts, and not a user. */
  private static final Pattern USER_INFO =
      Pattern.compile("(?i)\\b(rediss?[a-z-]*:(//)?)(?!\\[)\\S*@");

  private static final String HIDDEN = "***@";

  /** Parts of arguments to hide. A secret without percent-encoding may contain any character. */
  private final List<String> secrets;

  private Redaction(List<String> secrets) {
    this.secrets = secrets;
  }

  static Redaction of(List<String> arguments) {
    List<String> secrets = new ArrayList<>();
    for (String argument : arguments) {
      int end = argument.lastIndexOf('@');
      int start = argument.indexOf(':');
      if (start >= 0 && end > start) {
        boolean slashes = argument.startsWith("//", start + 1);
        secrets.add(argument.substring(slashes ? start + 3 : start + 1, end + 1));
      }
    }
    return new Redaction(secrets);
  }

  String of(String text) {
    String safe = text;
    for (String secret : secrets) {
      safe = safe.replace(secret, HIDDEN);
    }
    return USER_INFO.matcher(safe).replaceAll("$1" + HIDDEN);
  }
}
