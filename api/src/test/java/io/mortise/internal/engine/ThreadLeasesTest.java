package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.mortise.Lease;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is forgotten of many holds that no thread unlocks. */
@Tag("L9")
class ThreadLeasesTest {
  private final ThreadLeases holds = new ThreadLeases();

  /** A lease in doubt: no time is left for certain. */
  private static Lease doubtful() {
    return (Lease)
        Proxy.newProxyInstance(
            Lease.class.getClassLoader(),
            new Class<?>[] {Lease.class},
            (proxy, method, args) -> method.getName().equals("remaining") ? Duration.ZERO : null);
  }

  @Test
  void ofManyHoldsOnlyThoseAreForgottenThatAreOver() {
    holds.add("doubtful", doubtful(), () -> false);
    holds.add("over", doubtful(), () -> true);
    for (int i = 0; i < 2 * ThreadStacks.KEPT; i++) {
      holds.add("lock " + i, doubtful(), () -> false);
    }
    assertNotEquals(null, holds.find("doubtful"));
    assertEquals(null, holds.find("over"));
  }
}
