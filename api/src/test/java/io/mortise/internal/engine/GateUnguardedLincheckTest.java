package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@link GateLincheckTest} checks, it can find. */
@Tag("all")
@Tag("L1")
class GateUnguardedLincheckTest {
  @Test
  void aThreadThatDoesNotLockIsFound() {
    assertThrows(
        LincheckAssertionError.class,
        () -> GateLincheckTest.options().check(GateLincheckTest.Unguarded.class));
  }
}
