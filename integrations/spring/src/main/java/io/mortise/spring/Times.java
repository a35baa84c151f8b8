package io.mortise.spring;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Reads times in annotations. */
final class Times {
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
    String trimmed = text.strip();
    if (trimmed.equals("0")) {
      return Duration.ZERO;
    }
    if (!trimmed.isEmpty() && !trimmed.matches("[+-]?\\d+")) {
      Duration time = DurationFormatterUtils.detectAndParse(trimmed);
      if (!time.isNegative()) {
        return time;
      }
    }
    throw new IllegalArgumentException(
        "\"" + text + "\" is no time: write \"0\", \"500ms\", \"5s\", \"2m\" or \"PT5S\"");
  }
}
