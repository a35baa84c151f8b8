package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How often a service hands a hold off, where a number bounds it too. */
@Tag("L12")
class GateCountTest extends GateFixture {
  GateCountTest() {
    super(2);
  }

  @Test
  void aHoldIsHandedOffAsOftenAsTheLimitOfTheServiceAllows() {
    Acquisition held = holds(a);
    Future<Boolean> first = waits(b);
    unlock(a);
    assertTrue(GateThread.get(first));
    Future<Boolean> second = waits(c);
    unlock(b);
    assertTrue(GateThread.get(second));
    store.assertNothingAsked();

    assertGivenBack(c, held, waits(a));
  }

  @Test
  void aFencedHoldHasTokensForSixtyFourHandOffsAtMost() {
    ServiceOptions limited = engine.store().options();
    ServiceOptions unlimited = settings(ServiceOptions.NO_LIMIT, Duration.ZERO);
    ServiceOptions hundred = settings(100, Duration.ZERO);

    assertEquals(2, limited.mostHandOffs(LockKind.FENCED));
    assertEquals(64, unlimited.mostHandOffs(LockKind.FENCED));
    assertEquals(64, hundred.mostHandOffs(LockKind.FENCED));
    assertEquals(100, hundred.mostHandOffs(LockKind.PLAIN));
  }
}
