package io.mortise.internal.composite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.LeasedLock;
import io.mortise.internal.engine.Batch;
import io.mortise.internal.engine.Pending;
import io.mortise.internal.lock.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L15")
class MultiAttemptTest {
  private final List<String> done = new ArrayList<>();

  @SuppressWarnings("NullAway") // no command is sent
  private final Batch batch = new Batch(null);

  private Member member(String name, Pending trial) {
    LeasedLock handle = Stub.of(LeasedLock.class, Map.of());
    Pending unlocking = () -> done.add(name + " unlocked");
    return Stub.of(
        Member.class,
        Map.of(
            "name", none -> name,
            "begin", none -> trial,
            "mayBeKept", none -> true,
            "joins", none -> false,
            "batch", none -> batch,
            "handle", none -> handle,
            "unlock", none -> unlocking));
  }

  private boolean finished(String name) {
    return done.add(name + " finished");
  }

  private static boolean fail(Error why) {
    throw why;
  }

  @Test
  void anErrorOfOneMemberKeepsNoOtherFromBeingFinishedAndGivenBack() {
    Error why = new AssertionError("the test lets it fail");
    List<Member> members =
        List.of(
            member("a", () -> finished("a")),
            member("b", () -> fail(why)),
            member("c", () -> finished("c")),
            member("d", () -> fail(why)));

    Error told = assertThrows(AssertionError.class, MultiAttempt.patient(members, false)::acquire);

    assertSame(why, told);
    assertEquals(List.of("a finished", "c finished", "c unlocked", "a unlocked"), done);
  }
}
