package io.mortise;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.engine.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L9")
class MultiLossTest {
  private final List<LeaseState> told = new ArrayList<>();

  /** A member whose hold was lost under the calling thread, which has not unlocked yet. */
  private final Member member =
      Stub.of(Member.class, Map.of("loserOf", acquisition -> Thread.currentThread()));

  private void change(MultiLoss loss, LeaseState state) {
    loss.changed(member, new LeaseLost("a", state, "id", Duration.ZERO, "the test says so"));
  }

  @Test
  void aFailedRenewalThatIsToldAfterTheLossHidesNoLoss() {
    MultiLoss loss = new MultiLoss("[a]", event -> told.add(event.state()));

    change(loss, LeaseState.SUSPECT); // posted before the loss, and told only now
    change(loss, LeaseState.LOST);
    change(loss, LeaseState.LOST);

    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.LOST), told);
  }
}
