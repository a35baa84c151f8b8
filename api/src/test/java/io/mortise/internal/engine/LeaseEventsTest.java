package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.LockListener;
import io.mortise.LossCause;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.told.HoldEvents;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L9")
class LeaseEventsTest {
  private final List<LeaseState> told = new ArrayList<>();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final LeaseEvents events =
      new LeaseEvents(
          List.of(
              new LockListener() {
                @Override
                public void leaseChanged(LeaseChange event) {
                  told.add(event.state());
                }
              }),
          tasks::add);

  private final Acquisition acquisition =
      new Acquisition(
          new Nobody(),
          new Nobody(),
          "id",
          LeaseTerms.renewed(Duration.ofSeconds(1)),
          new ClockSteps(new StubTime()));

  /** Nobody asks, and nobody holds. */
  private static final class Nobody implements Acquisition.Asker, Acquisition.Grant {
    @Override
    public LockKeys keys() {
      return LockKeys.of("mortise", "name");
    }

    @Override
    public void wake() {}

    @Override
    public void granted(Acquisition granted, long sentAt) {}

    @Override
    public List<Holder> holders(Acquisition held) {
      return List.of();
    }

    @Override
    public boolean lose(Acquisition held, Loss why) {
      return false;
    }
  }

  @Test
  void aFailedRenewalIsNoNewsAfterTheLoss() {
    events.suspect(acquisition, "no answer", 0);
    events.recovered(acquisition, 0);
    events.lost(acquisition, new Loss(LossCause.EXPIRED, "its lease ended"), 0);
    events.suspect(acquisition, "no answer", 0); // by another thread, at the same moment
    tasks.forEach(Runnable::run);

    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.HELD, LeaseState.LOST), told);
  }

  @Test
  void aFailedRenewalIsNoNewsAfterTheLossOfTheNextHolder() {
    events.suspect(acquisition, "no answer", 0);
    acquisition.lease().setEvents(HoldEvents.begun()); // the hold was handed off
    events.lost(acquisition, new Loss(LossCause.EXPIRED, "its lease ended"), 0);
    tasks.removeLast().run();
    tasks.forEach(Runnable::run); // a callback of the first holder has kept them back

    assertEquals(List.of(LeaseState.LOST), told);
  }
}
