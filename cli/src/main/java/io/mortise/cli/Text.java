package io.mortise.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Text for people, and the times that they write. */
final class Text {
  /** What could move a cursor, colour or turn around what follows, or end a line. */
  private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]");

  private static final String CUT = "..";

  private Text() {}

  /** The text with each control character as its code, so that a terminal shows it. */
  static String visible(String text) {
    Matcher invisible = INVISIBLE.matcher(text);
    return invisible.replaceAll(each -> "\\\\u%04x".formatted(each.group().codePointAt(0)));
  }

  /** The text, or as much of its beginning as fits. */
  static String cut(String text, int columns) {
    if (text.codePointCount(0, text.length()) <= columns) {
      return text;
    }
    int kept = Math.max(0, columns - CUT.length());
    return text.substring(0, text.offsetByCodePoints(0, kept))
        + CUT.substring(0, Math.min(CUT.length(), Math.max(0, columns)));
  }

  /** A time as people say it: in two units at most. */
  static String time(Duration time) {
    long seconds = time.toSeconds();
    if (seconds < 1) {
      return Math.max(0, time.toMillis()) + " ms";
    }
    if (seconds < 60) {
      return seconds + " s";
    }
    if (seconds < 3600) {
      return "%d m %d s".formatted(seconds / 60, seconds % 60);
    }
    if (seconds < 86_400) {
      return "%d h %d m".formatted(seconds / 3600, seconds / 60 % 60);
    }
    return "%d d %d h".formatted(seconds / 86_400, seconds / 3600 % 24);
  }

  /** Reads a time: a number and its unit, or zero. */
  static final class Time implements ITypeConverter<Duration> {
    private static final Pattern LENGTH = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

    /** What a service takes, and what is far from an overflow of nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(10_000);

    @Override
    public Duration convert(String text) {
      Matcher parts = LENGTH.matcher(text);
      if (text.equals("0")) {
        return Duration.ZERO;
      }
      if (!parts.matches()) {
        throw new TypeConversionException(
            "'%s' is no time; write 500ms, 30s, 5m or 1h".formatted(text));
      }
      long number = Long.parseLong(parts.group(1));
      Duration time =
          switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
          };
      if (time.compareTo(LONGEST) > 0) {
        throw new TypeConversionException("'%s' is longer than 10,000 days".formatted(text));
      }
      return time;
    }
  }
}
