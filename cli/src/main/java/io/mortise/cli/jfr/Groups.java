package io.mortise.cli.jfr;

import java.util.regex.Pattern;

/** Names that differ in numbers alone are one group: {@code orders:42} is {@code orders:*}. */
final class Groups {
  private static final Pattern NUMBER =
      Pattern.compile("(?<![\\p{L}\\p{N}])\\d+(?![\\p{L}\\p{N}])");

  private Groups() {}

  static String of(String name) {
    return NUMBER.matcher(name).replaceAll("*");
  }
}
