package io.mortise.internal.told;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.mortise.internal.wire.LockKeys;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L23")
class ListenersTest {
  private final NotedEvents given = new NotedEvents();
  private final FlightRecording recording = recording();
  private final Listeners listeners = new Listeners(List.of(given), recording);

  private static FlightRecording recording() {
    FlightRecording found = FlightRecording.find();
    if (found == null) {
      throw new AssertionError("this runtime has no jdk.jfr");
    }
    return found;
  }

  private ToldAttempt waits() {
    ToldAttempt attempt = new ToldAttempt(LockKeys.of("mortise:", "name"), false, 0);
    listeners.tell(to -> to.waiting(attempt));
    return attempt;
  }

  @Test
  void withoutARecordingAListenerIsToldAndNoEventOfARecordingIsMade() {
    assertNull(waits().context(recording));
    assertEquals(List.of(List.of("waiting")), given.rows());
    try (Recording on = new Recording()) {
      on.start();
      assertNotNull(waits().context(recording));
    }
    assertNull(waits().context(recording), "it is over");
    assertEquals(3, given.rows().size());
  }
}
