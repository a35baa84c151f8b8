package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L15")
class CallerTest {
  @Test
  void theThreadIsAlwaysNamedAndThePlaceIfItIsKnown() {
    Thread thread = new Thread(() -> {}, "worker-1");

    assertEquals("thread worker-1", new LeaseGrant.Caller(thread, null).toString());
    assertEquals(
        "thread worker-1 at A.b(A.java:1)",
        new LeaseGrant.Caller(thread, "A.b(A.java:1)").toString());
  }

  @Test
  void thePlaceIsOutsideOfThisLibrary() {
    Supplier<String> find = LeaseGrant.Caller::findPlace;

    // This test is inside of the library, so the nearest line is that of the JDK.
    String place = Stream.of(find).map(Supplier::get).findFirst().orElse(null);

    assertNotNull(place);
    assertTrue(place.contains("java.base/"), place);
  }
}
