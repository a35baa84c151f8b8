package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L2")
class HoldTest {
  @Test
  @SuppressWarnings("NullAway") // counting needs no acquisition
  void moreNestedHoldsThanAnIntCountsAreAnError() {
    Hold hold = new Hold(null, Thread.currentThread(), null, 0, 0);
    for (int count = 1; count < Integer.MAX_VALUE; count++) {
      hold.enter();
    }

    Error e = assertThrows(Error.class, hold::enter);

    assertEquals("Maximum lock count exceeded", e.getMessage());
    assertEquals(Integer.MAX_VALUE, hold.count());
  }
}
