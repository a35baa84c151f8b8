package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.FencedLock;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DemoLockTest {
  @ParameterizedTest
  @EnumSource(DemoLock.class)
  void helpNamesIt(DemoLock kind) {
    assertEquals(kind, DemoLock.named(kind.text()));
    String help = Invocation.of("demo", "--help").out();
    assertTrue(
        help.replaceAll("\\s+", " ").matches(".*--kind=KIND [^-]*" + kind.text() + ".*"), help);
  }

  @Test
  void aKindIsWhatItSays() {
    try (LockService service = LockService.open("memory:kinds")) {
      assertInstanceOf(FencedLock.class, DemoLock.FENCED.of(service, "x"));
      assertEquals("[x, x-2, x-3]", DemoLock.MULTI.of(service, "x").name());
      for (DemoLock kind : new DemoLock[] {DemoLock.PLAIN, DemoLock.FAIR}) {
        LeasedLock lock = kind.of(service, "x");
        assertEquals("x", lock.name());
      }
    }
  }
}
