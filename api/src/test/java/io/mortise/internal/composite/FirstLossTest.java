package io.mortise.internal.composite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.internal.lock.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L9")
class FirstLossTest {
  private final List<LeaseState> reported = new ArrayList<>();

  /** A member whose hold was lost under the calling thread, which has not unlocked yet. */
  private final Member member =
      Stub.of(Member.class, Map.of("loserOf", acquisition -> Thread.currentThread()));

  private void change(FirstLoss loss, LeaseState state) {
    change(loss, state, null);
  }

  private void change(FirstLoss loss, LeaseState state, @Nullable Object lease) {
    loss.changed(
        member,
        new LeaseChange("a", state, "id", Duration.ZERO, Optional.empty(), "the test says so"),
        lease);
  }

  @Test
  void aFailedRenewalThatIsDeliveredAfterTheLossHidesNoLoss() {
    FirstLoss loss = new FirstLoss("[a]", event -> reported.add(event.state()));

    change(loss, LeaseState.SUSPECT); // posted before the loss, and delivered only now
    change(loss, LeaseState.LOST);
    change(loss, LeaseState.LOST);

    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.LOST), reported);
  }

  @Test
  void theFirstLossOfEachLeaseIsReportedBesideThatOfTheThread() {
    FirstLoss loss = new FirstLoss("[a]", event -> reported.add(event.state()));
    Object one = new Object();
    Object other = new Object();

    change(loss, LeaseState.LOST, one);
    change(loss, LeaseState.SUSPECT, one);
    change(loss, LeaseState.LOST, other);
    change(loss, LeaseState.LOST, one);
    change(loss, LeaseState.LOST);
    change(loss, LeaseState.LOST, other);

    assertEquals(
        List.of(LeaseState.LOST, LeaseState.SUSPECT, LeaseState.LOST, LeaseState.LOST), reported);
  }
}
