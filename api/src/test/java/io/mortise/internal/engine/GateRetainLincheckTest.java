package io.mortise.internal.engine;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** As {@link GateLincheckTest}, where holds are retained. */
@Tag("all")
@Tag("L1")
@Tag("L6")
class GateRetainLincheckTest {
  @Test
  void threadsCountAsOneWouldWhereHoldsAreRetained() {
    GateLincheckTest.options().check(GateLincheckTest.Retaining.class);
  }
}
