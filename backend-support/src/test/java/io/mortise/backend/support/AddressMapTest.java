package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressMapTest {
  private static final AddressMap MAP =
      of("10.0.0.1:6379=db.test:7001, 10.0.0.1=far.test,[fd00::1]=[::1],[fd00::2]:6379=six.test:1");

  private static AddressMap of(String text) {
    Map<String, String> property = Map.of(AddressMap.PROPERTY, text);
    URI uri = URI.create("redis-cluster://seed.test");
    return AddressMap.of(new BackendConfig(uri, Duration.ofSeconds(1), "test", property));
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1:6379, db.test:7001",
    "10.0.0.1:6380, far.test:6380",
    "10.0.0.11:6379, 10.0.0.11:6379",
    "[fd00::1]:6379, [::1]:6379",
    "fd00::1:6379, [::1]:6379",
    "fd00::2:6379, six.test:1",
    "fd00::3:6379, fd00::3:6379",
  })
  @DisplayName(
      "B16: a port of its own counts first, and then the host with the port that was named")
  void reached(String named, String there) {
    assertEquals(there, MAP.open(named, place -> place));
  }

  @Test
  @DisplayName("B16: a failure has both addresses, and what to correct")
  void failed() {
    BackendException failure =
        assertThrows(BackendException.class, () -> MAP.open("10.0.0.1:6379", AddressMapTest::fail));
    assertEquals(
        "10.0.0.1:6379, which the property 'addresses' says to reach at db.test:7001: db.test:7001 is down; or correct that property",
        failure.getMessage());
    BackendException unmapped =
        assertThrows(BackendException.class, () -> MAP.open("10.0.0.9:1", AddressMapTest::fail));
    assertEquals("10.0.0.9:1 is down", unmapped.getMessage());
  }

  private static String fail(String place) {
    throw new BackendException(Outcome.NOT_EXECUTED, place + " is down", null);
  }
}
