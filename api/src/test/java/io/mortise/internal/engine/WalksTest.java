package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.internal.wire.Probe;
import io.mortise.internal.wire.Probe.Hop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two threads of one service that wait for each other. */
@Tag("L30")
class WalksTest {
  private static final String DETAILS = "details";

  private final List<List<Hop>> told = new ArrayList<>();
  private final List<Probe> sent = new ArrayList<>();
  private final Deque<Runnable> messages = new ArrayDeque<>();
  private final Walks<Blocked> walks = new Walks<>("c", (youngest, path) -> told.add(path));
  private final Blocked old = new Blocked("1");
  private final Blocked young = new Blocked("2");

  private final class Blocked implements Walks.Waiting {
    private final String wait;
    private boolean waits = true;

    Blocked(String wait) {
      this.wait = wait;
    }

    @Override
    public String waitId() {
      return wait;
    }

    @Override
    public Hop hop(boolean detailed) {
      return new Hop("hold of " + wait, wait, detailed ? DETAILS : "");
    }

    @Override
    public void send(Probe probe) {
      sent.add(probe);
      Blocked to = this == old ? young : old;
      messages.add(() -> walks.hear(probe, to.waits ? List.of(to) : List.of()));
    }
  }

  private void look(Blocked... waiting) {
    walks.look(List.of(waiting));
  }

  private void arrive() {
    while (!messages.isEmpty()) {
      messages.remove().run();
    }
  }

  @Test
  void aCircleIsToldOnceThoughAThreadIsMissingAtLooks() {
    look(old, young);
    arrive();
    assertEquals(1, told.size());

    for (int i = 1; i < Walks.REMEMBERED; i++) {
      look(old);
      arrive();
    }
    look(old, young);
    arrive();
    assertEquals(1, told.size());
  }

  @Test
  void aWaitThatIsMissingAtManyLooksIsForgotten() {
    look(old, young);
    arrive();

    for (int i = 0; i < Walks.REMEMBERED; i++) {
      look(old);
      arrive();
    }
    look(old, young);
    arrive();
    assertEquals(2, told.size());
  }

  @Test
  void detailsAreNotCollectedForACircleThatIsOver() {
    look(old, young);
    while (sent.stream().noneMatch(Probe::detailed)) {
      messages.remove().run();
    }
    old.waits = false;
    arrive();
    sent.clear();

    look(young);
    arrive();

    assertEquals(1, sent.size());
    assertTrue(sent.stream().noneMatch(Probe::detailed), sent.toString());
    assertEquals(List.of(), told);
  }

  @Test
  void aWalkWithDetailsThatIsLostIsBegunAgain() {
    look(old, young);
    while (sent.stream().noneMatch(Probe::detailed)) {
      messages.remove().run();
    }
    messages.clear();

    look(old, young);
    arrive();

    assertEquals(1, told.size());
    assertTrue(told.get(0).stream().allMatch(hop -> hop.details().equals(DETAILS)));
  }
}
