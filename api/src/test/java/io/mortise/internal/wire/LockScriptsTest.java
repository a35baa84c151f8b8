package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.spi.BackendInfo;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The arguments of the scripts. */
class LockScriptsTest {
  /** The scripts read ASCII digits, so the locale of the process must not matter. */
  @Test
  void theirArgumentsDoNotDependOnTheLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      assertEquals("١", "%d".formatted(1), "this locale has other digits");
      Duration second = Duration.ofSeconds(1);
      QueueTimes times = QueueTimes.standard(second);
      LockScripts scripts =
          new LockScripts(
              new ServiceOptions(
                  second,
                  null,
                  second,
                  "mortise:",
                  64,
                  Duration.ZERO,
                  false,
                  false,
                  false,
                  null,
                  times),
              new BackendInfo("here", "7.0.0", true, true),
              true);
      LockKeys keys = LockKeys.of("mortise:", "orders");
      assertEquals(
          List.of("id", "- " + times.alive().toMillis() + " 3000 1 mortise:mail:"),
          scripts.leave(keys, "id", false).args());
    } finally {
      Locale.setDefault(before);
    }
  }
}
