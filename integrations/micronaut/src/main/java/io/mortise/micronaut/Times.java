package io.mortise.micronaut;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads times in annotations and properties. */
final class Times {
  private static final Pattern TIME = Pattern.compile("(\\d{1,12}) ?(ms|s|m|h|d)");

  private Times() {}

  /**
   * The time that the text says.
   *
   * @return null for {@code forever}
   * @throws IllegalArgumentException it is no time, has no unit, or is negative
   */
  static @Nullable Duration readWait(String text) {
    return text.strip().equalsIgnoreCase("forever") ? null : read(text);
  }

  /**
   * The time that the text says.
   *
   * @throws IllegalArgumentException it is no time, has no unit, or is negative
   */
  static Duration read(String text) {
    String trimmed = text.strip().toLowerCase(Locale.ROOT);
    if (trimmed.equals("0")) {
      return Duration.ZERO;
    }
    Matcher time = TIME.matcher(trimmed);
    if (time.matches()) {
      return of(Long.parseLong(time.group(1)), time.group(2));
    }
    try {
      Duration parsed = Duration.parse(trimmed);
      if (!parsed.isNegative()) {
        return parsed;
      }
    } catch (DateTimeParseException ignored) {
      // the message is the same as that for a negative time
    }
    throw new IllegalArgumentException(
        "this is no time; write \"0\", \"500ms\", \"5s\", \"2m\", \"1h\", \"1d\" or \"PT5S\"");
  }

  private static Duration of(long amount, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }
}
