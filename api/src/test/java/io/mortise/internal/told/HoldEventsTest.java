package io.mortise.internal.told;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.LockHold;
import io.mortise.internal.wire.LockKeys;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An event that throws keeps none of those after it. */
@Tag("L20")
class HoldEventsTest {
  private final List<Integer> told = new ArrayList<>();

  private static void fail() {
    throw new LinkageError("on purpose");
  }

  @Test
  void laterEventsAreDelivered() {
    HoldEvents events = HoldEvents.begun();
    events.post(HoldEventsTest::fail);
    events.post(() -> told.add(1));
    events.post(Runnable::run, HoldEventsTest::fail);
    events.post(Runnable::run, () -> told.add(2));

    assertEquals(List.of(1, 2), told);
  }

  @Test
  void eventsThatWaitForABeginningAreDelivered() {
    ToldAttempt attempt = new ToldAttempt(LockKeys.of("mortise:", "x"), false, 0);
    HoldEvents events =
        HoldEvents.beginning(new ToldHold(attempt, "id", LockHold.Via.STORE, 0, null));
    events.post(() -> told.add(1));
    events.began(HoldEventsTest::fail);

    assertEquals(List.of(1), told);
  }
}
