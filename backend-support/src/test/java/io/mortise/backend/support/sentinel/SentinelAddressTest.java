package io.mortise.backend.support.sentinel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.RedisAddress;
import io.mortise.spi.Credentials;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SentinelAddressTest {
  private static SentinelAddress of(String uri) {
    return SentinelAddress.of(URI.create(uri));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis-sentinel://one#m | redis-sentinel://one:26379/0#m",
        "redis-sentinel://one,two:1,three#m | redis-sentinel://one:26379,two:1,three:26379/0#m",
        "rediss-sentinel://u:p@one:2/3#m | rediss-sentinel://one:2/3#m",
        "redis-sentinel://:p%40@one:2/3#m%20x | redis-sentinel://one:2/3#m x",
        "redis-sentinel://one?sentinelMasterId=m | redis-sentinel://one:26379/0#m",
        "redis-sentinel://one/2?sentinelMasterId=m#m | redis-sentinel://one:26379/2#m",
        "REDIS-SENTINEL://a_host,b-host:5#m | redis-sentinel://a_host:26379,b-host:5/0#m",
        "redis-sentinel://[::1]:5#m | redis-sentinel://[::1]:5/0#m",
      })
  @DisplayName("Every form is understood, and user and password are not shown")
  void forms(String uri, String shown) {
    assertTrue(SentinelAddress.isMeantBy(URI.create(uri)));
    assertEquals(shown, of(uri).toString());
  }

  @Test
  void valkeyMeansTheSameAsRedis() {
    assertEquals(of("redis-sentinel://one,two#m"), of("valkey-sentinel://one,two#m"));
    assertEquals(of("rediss-sentinel://one#m"), of("valkeys-sentinel://one#m"));
  }

  @Test
  @DisplayName("User, password, database and TLS are those of the master")
  void dataServers() {
    SentinelAddress address = of("rediss-sentinel://us%3Aer:p%40ss+@one/3#m");
    assertEquals(
        new RedisAddress(true, "host", 1, new Credentials("us:er", "p@ss+"), 3),
        address.data("host:1"));
  }

  @Test
  @DisplayName("A sentinel has a user and a password of its own, the same TLS, and no database")
  void sentinels() {
    SentinelAddress address = of("rediss-sentinel://user:word@one/3#m");
    assertEquals(List.of("one:26379"), address.sentinels());
    assertEquals(
        new RedisAddress(true, "[::1]", 2, Credentials.of("own"), 0),
        address.sentinel("[::1]:2", Credentials.of("own")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-sentinel://:hush@one",
        "redis-sentinel://:hush@one:1,two:0#m",
        "redis-sentinel://:hush@one:70000#m",
        "redis-sentinel://:hush@one,,two#m",
        "redis-sentinel://hush@one#m",
        "redis-sentinel://:hush@one/x#m",
        "redis-sentinel://:hush@one?password=hush#m",
        "redis-sentinel:///0#m",
      })
  @DisplayName("Other forms are refused, and the message quotes no part of them")
  void otherForms(String uri) {
    String message =
        String.valueOf(assertThrows(IllegalArgumentException.class, () -> of(uri)).getMessage());
    assertTrue(message.contains("redis"), message);
    assertFalse(message.contains("hush"), message);
  }
}
