package io.mortise.internal.composite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LossCause;
import io.mortise.internal.engine.MemberLease;
import io.mortise.spi.TimeSource;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The end of a merged lease, which is a release or a loss. */
@Tag("L9")
class MergedLeaseTest {
  private boolean lost;
  private Runnable duringALook = () -> {};

  private final MergedLease lease =
      new MergedLease("both", 1, TimeSource.system(), Runnable::run, List.of(member()));

  private MemberLease member() {
    CompletableFuture<Void> released = CompletableFuture.completedFuture(null);
    return Stub.of(
        MemberLease.class,
        Map.of(
            "untilLost", none -> lost ? Duration.ZERO : Duration.ofSeconds(1),
            "remaining", none -> Duration.ZERO,
            "releasing", none -> released,
            "state",
                none -> {
                  duringALook.run();
                  return LeaseState.HELD;
                }));
  }

  /** Its failure would stay in a future that nobody has. */
  @Test
  @Tag("L20")
  void whatAListenerThrowsIsLogged() {
    Lease same =
        lease.onLost(change -> {
          throw new AssertionError("the listener fails");
        });
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    lost = true;
    try {
      assertEquals(LeaseState.LOST, same.state());
    } finally {
      System.setErr(before);
    }
    String said = log.toString(StandardCharsets.UTF_8);
    assertTrue(said.contains("a lock listener failed"), said);
  }

  /** Another thread learns of the loss while this one closes. */
  @Test
  void aCloseThatComesAfterTheLossThrows() {
    List<LeaseChange> told = new ArrayList<>();
    Lease unused = lease.onLost(told::add);
    duringALook =
        () -> {
          lost = true;
          lease.check("somebody", LossCause.EXPIRED, "the test says so");
        };

    assertThrows(LeaseLostException.class, lease::close);
    assertEquals(1, told.size());
  }
}
