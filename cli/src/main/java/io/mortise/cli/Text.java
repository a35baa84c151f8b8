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

  /** Letters below take one column, but for a few marks. */
  private static final int FIRST_WIDE = 0x300;

  /** What takes two columns: letters of East Asia, and pictures. */
  private static final Pattern WIDE =
      Pattern.compile(
          "[\\u1100-\\u115F\\u231A\\u231B\\u23E9-\\u23F3\\u25FD\\u25FE\\u2614\\u2615\\u2648-\\u2653"
              + "\\u267F\\u2693\\u26A1\\u26AA\\u26AB\\u26BD\\u26BE\\u26C4\\u26C5\\u26CE\\u26D4\\u26EA"
              + "\\u26F2\\u26F3\\u26F5\\u26FA\\u26FD\\u2705\\u270A\\u270B\\u2728\\u274C\\u274E"
              + "\\u2753-\\u2757\\u2795-\\u2797\\u27B0\\u27BF\\u2B1B\\u2B1C\\u2B50\\u2B55"
              + "\\u2E80-\\u303E\\u3041-\\uA4CF\\uA960-\\uA97C\\uAC00-\\uD7A3\\uF900-\\uFAFF"
              + "\\uFE10-\\uFE6F\\uFF01-\\uFF60\\uFFE0-\\uFFE6"
              + "\\x{16FE0}-\\x{1B2FF}\\x{1F000}-\\x{1FAFF}\\x{20000}-\\x{3FFFD}]");

  private Text() {}

  /** The text with each control character as its code, so that a terminal shows it. */
  static String visible(String text) {
    Matcher invisible = INVISIBLE.matcher(text);
    return invisible.replaceAll(each -> "\\\\u%04x".formatted(each.group().codePointAt(0)));
  }

  /** How many columns of a terminal the text takes, if it has no control characters. */
  static int columns(String text) {
    return text.codePoints().map(Text::columns).sum();
  }

  private static int columns(int letter) {
    if (letter < FIRST_WIDE) {
      return 1;
    }
    int type = Character.getType(letter);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    return WIDE.matcher(Character.toString(letter)).matches() ? 2 : 1;
  }

  /** The text, or as much of its beginning as fits. */
  static String cut(String text, int columns) {
    if (columns(text) <= columns) {
      return text;
    }
    return begin(text, columns - CUT.length()) + begin(CUT, columns);
  }

  /** The text with blanks behind it, as wide as that or wider. */
  static String pad(String text, int columns) {
    return text + " ".repeat(Math.max(0, columns - columns(text)));
  }

  /** As much of the beginning as fits. */
  static String begin(String text, int columns) {
    int end = 0;
    int taken = 0;
    while (end < text.length()) {
      int letter = text.codePointAt(end);
      taken += columns(letter);
      if (taken > columns) {
        break;
      }
      end += Character.charCount(letter);
    }
    return text.substring(0, end);
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
