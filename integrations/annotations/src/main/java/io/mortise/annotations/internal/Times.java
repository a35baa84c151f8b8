package io.mortise.annotations.internal;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads times in annotations and properties. */
public final class Times {
  /** What can be written, for people. */
  static final String EXAMPLES = "\"0\", \"500ms\", \"5s\", \"2m\", \"1h30m\", \"1d\" or \"PT5S\"";

  private static final Pattern PART = Pattern.compile("(\\d{1,18}) ?(ns|us|ms|s|m|h|d) ?");
  private static final Pattern PARTS = Pattern.compile("(" + PART + ")+");

  private Times() {}

  /**
   * The time that the text says.
   *
   * @return null for {@code forever}
   * @throws IllegalArgumentException it is no time, has no unit, or is negative
   */
  public static @Nullable Duration readWait(String text) {
    return text.strip().equalsIgnoreCase("forever") ? null : read(text);
  }

  /**
   * The time that the text says.
   *
   * @throws IllegalArgumentException it is no time, has no unit, or is negative
   */
  public static Duration read(String text) {
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (lower.equals("0")) {
      return Duration.ZERO;
    }
    try {
      Duration time = PARTS.matcher(lower).matches() ? sum(lower) : Duration.parse(lower);
      if (!time.isNegative()) {
        return time;
      }
    } catch (DateTimeParseException | ArithmeticException ignored) {
      // the message is the same as that for a negative time
    }
    throw new IllegalArgumentException("this is no time; write " + EXAMPLES);
  }

  private static Duration sum(String text) {
    Duration time = Duration.ZERO;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      time = time.plus(Duration.of(Long.parseLong(part.group(1)), unit(part.group(2))));
    }
    return time;
  }

  private static ChronoUnit unit(String name) {
    return switch (name) {
      case "ns" -> ChronoUnit.NANOS;
      case "us" -> ChronoUnit.MICROS;
      case "ms" -> ChronoUnit.MILLIS;
      case "s" -> ChronoUnit.SECONDS;
      case "m" -> ChronoUnit.MINUTES;
      case "h" -> ChronoUnit.HOURS;
      default -> ChronoUnit.DAYS;
    };
  }
}
