package io.mortise.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** From when a lease counts, and to when. */
class AcquisitionTest {
  private static final Duration WINDOW = Duration.ofSeconds(3);
  private static final LeasePolicy LEASE = LeasePolicy.renewed(Duration.ofSeconds(30));
  private static final long LONGEST = Duration.ofHours(1).toNanos();
  private static final long SENT = Duration.ofSeconds(100).toNanos();

  private static final Owner OWNER =
      new Owner() {
        @Override
        public LockKeys keys() {
          throw new UnsupportedOperationException();
        }

        @Override
        public void wake() {}

        @Override
        public @Nullable Holder holder(Acquisition held) {
          return null;
        }

        @Override
        public boolean lose(Acquisition held, String reason) {
          return false;
        }
      };

  private final Acquisition acquisition = new Acquisition(OWNER, "id", LEASE);

  private boolean takeGranted(LeasePolicy lease, Duration later) {
    return acquisition.takeGranted(lease, WINDOW, SENT, SENT + later.toNanos(), LONGEST);
  }

  @Test
  void aGrantCountsFromBeforeTheCommandThatToldOfIt() {
    assertTrue(takeGranted(LEASE, Duration.ofSeconds(2)));

    long end = SENT + WINDOW.toNanos();
    assertTrue(acquisition.isValid(end - Duration.ofMillis(2).toNanos()));
    assertFalse(acquisition.isValid(end));
    assertEquals(LEASE, acquisition.lease());
  }

  @Test
  void aGrantThatIsOverWhenItIsToldOfGivesNothing() {
    assertFalse(takeGranted(LEASE, WINDOW));

    assertFalse(acquisition.isHeld());
  }

  @Test
  void aLeaseThatIsShorterThanTheGrantEndsAsItShould() {
    LeasePolicy brief = LeasePolicy.renewed(Duration.ofSeconds(1));
    assertTrue(takeGranted(brief, Duration.ZERO));

    assertFalse(acquisition.isValid(SENT + brief.nanos()));
  }

  @Test
  void aGrantIsDueForRenewalAndThenLastsAsLongAsTheLease() {
    assertTrue(takeGranted(LEASE, Duration.ZERO));
    long now = SENT + Duration.ofSeconds(1).toNanos();
    assertTrue(now - acquisition.renewedAt() >= LEASE.nanos() / 3);

    assertEquals(LeaseState.HELD, acquisition.renewed(LEASE, now, now, LONGEST));

    assertTrue(acquisition.isValid(now + LEASE.nanos() / 2));
  }
}
