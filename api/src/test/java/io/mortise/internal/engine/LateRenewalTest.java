package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The reason of a loss, if the store answers a renewal that it does not have the lease. */
@Tag("L9")
class LateRenewalTest extends GateFixture {
  private static final long GONE = 0;

  @Test
  void aLeaseThatIsGoneBeforeItsEndWasDeleted() {
    Acquisition held = holds(a);
    time.pause(LEASE.dividedBy(2));

    assertFalse(renewalFindsItGone(held));

    assertEquals("its key was deleted, or is no longer this acquisition's", held.lease().loss());
  }

  @Test
  void aLeaseThatIsGoneAfterItsEndHasEnded() {
    Acquisition held = holds(a);
    time.pause(LEASE.plus(Duration.ofSeconds(1))); // no timer of this process has run meanwhile

    assertFalse(renewalFindsItGone(held));

    assertEquals("its lease ended before a renewal was answered", held.lease().loss());
  }

  private boolean renewalFindsItGone(Acquisition held) {
    long sentAt = time.nanoTime();
    boolean confirmed = engine.keeper().confirm(held, engine.store().defaultLease(), GONE, sentAt);
    store.next("leave").absent(); // what is lost is withdrawn, to be sure
    return confirmed;
  }
}
