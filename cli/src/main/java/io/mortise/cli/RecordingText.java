package io.mortise.cli;

import io.mortise.cli.jfr.Clock;
import java.util.Locale;

/** What recordings say, in words. */
final class RecordingText {
  private RecordingText() {}

  /** How far the server's clock is ahead of another, as {@code +1.204 s ± 0.2 ms}. */
  static String offset(Clock.Offset offset) {
    String ahead = String.format(Locale.ROOT, "%+.3f s", offset.ahead() / 1e9);
    if (offset.isBounded()) {
      return ahead + String.format(Locale.ROOT, " ± %.1f ms", offset.plusMinus() / 1e6);
    }
    return offset.ahead() == 0
        ? ahead + ", its own clock: nothing tells how far it is off"
        : ahead + " by the order of its holds alone";
  }

  /** A share in percent, rounded down. */
  static long percent(long part, long whole) {
    return whole == 0 ? 0 : (long) Math.floor(100.0 * part / whole);
  }

  static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }
}
