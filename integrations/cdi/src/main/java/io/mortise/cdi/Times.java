package io.mortise.cdi;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads times in annotations. */
final class Times {
  private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,18})(ms|s|m|h|d)");

  private Times() {}

  /**
   * The time that the text says.
   *
   * @return null for {@code forever}
   * @throws IllegalArgumentException it is no time, has no unit, or is negative
   */
  static @Nullable Duration readWait(String text) {
    return text.strip().toLowerCase(Locale.ROOT).equals("forever") ? null : read(text);
  }

  /**
   * The time that the text says.
   *
   * @throws IllegalArgumentException it is no time, has no unit, or is negative
   */
  static Duration read(String text) {
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (lower.equals("0")) {
      return Duration.ZERO;
    }
    try {
      Matcher simple = NUMBER_AND_UNIT.matcher(lower);
      Duration time =
          simple.matches()
              ? Duration.of(Long.parseLong(simple.group(1)), unit(simple.group(2)))
              : Duration.parse(lower);
      if (!time.isNegative()) {
        return time;
      }
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new IllegalArgumentException("\"" + text + "\" is no time", e);
    }
    throw new IllegalArgumentException("\"" + text + "\" is negative");
  }

  private static ChronoUnit unit(String name) {
    return switch (name) {
      case "ms" -> ChronoUnit.MILLIS;
      case "s" -> ChronoUnit.SECONDS;
      case "m" -> ChronoUnit.MINUTES;
      case "h" -> ChronoUnit.HOURS;
      default -> ChronoUnit.DAYS;
    };
  }
}
