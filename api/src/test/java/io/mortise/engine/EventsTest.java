package io.mortise.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.LeaseLost;
import io.mortise.LeaseState;
import io.mortise.LockListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L9")
class EventsTest {
  private final List<LeaseState> told = new ArrayList<>();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Events events =
      new Events(
          new LockListener() {
            @Override
            public void leaseChanged(LeaseLost event) {
              told.add(event.state());
            }
          },
          tasks::add);

  @SuppressWarnings("NullAway") // what is told needs no engine
  private final Acquisition acquisition =
      new Acquisition(
          new Gate(
              null,
              LockKeys.of("mortise", "name"),
              Waiter.impatient(LeasePolicy.renewed(Duration.ofSeconds(1)), 0)),
          "id",
          LeasePolicy.renewed(Duration.ofSeconds(1)));

  @Test
  void aFailedRenewalIsNoNewsAfterTheLoss() {
    events.suspect(acquisition, "no answer", 0);
    events.recovered(acquisition, 0);
    events.lost(acquisition, "its lease ended", 0);
    events.suspect(acquisition, "no answer", 0); // by another thread, at the same moment
    tasks.forEach(Runnable::run);

    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.HELD, LeaseState.LOST), told);
  }
}
