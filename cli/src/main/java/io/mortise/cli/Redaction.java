package io.mortise.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Takes user and password out of what is printed: those of the arguments, wherever an error repeats
 * them, and of anything else that looks like a Redis URI.
 */
final class Redaction {
  /** A bracket after the slashes begins a syntax, as in help texts, and no user. */
  private static final Pattern USER_INFO =
      Pattern.compile("(?i)\\b(rediss?[a-z-]*:(//)?)(?!\\[)\\S*@");

  private static final String HIDDEN = "***@";

  /** Parts of arguments to hide; not encoded as it should be, a secret may have any character. */
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
