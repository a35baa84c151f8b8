package io.mortise.junit;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the lease time of an annotation: {@code 30s}, {@code 500ms} or {@code PT30S}. */
final class LeaseTime {
  private static final Pattern SHORT = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

  private LeaseTime() {}

  static Duration parse(String text) {
    Matcher parts = SHORT.matcher(text);
    if (parts.matches()) {
      long number = Long.parseLong(parts.group(1));
      return switch (parts.group(2)) {
        case "ms" -> Duration.ofMillis(number);
        case "s" -> Duration.ofSeconds(number);
        case "m" -> Duration.ofMinutes(number);
        default -> Duration.ofHours(number);
      };
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "@MortiseTest(leaseTime = \"" + text + "\"): write 30s, 500ms, 2m, 1h or PT30S", e);
    }
  }
}
