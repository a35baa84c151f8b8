package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.backend.support.sentinel.SentinelAddress;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.Credentials;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RedisSettingsTest {
  private static final URI SET = URI.create("redis-sentinel://me:word@s#m");

  private static RedisSettings settings(Map<String, String> properties) {
    return RedisSettings.of(new BackendConfig(SET, Duration.ofSeconds(1), "test", properties));
  }

  private static @Nullable Credentials ofSentinels(Map<String, String> properties) {
    return settings(properties).sentinel(SentinelAddress.of(SET), "s:1").credentials();
  }

  @Test
  void sentinelsHaveTheUserAndPasswordOfTheProperties() {
    assertNull(ofSentinels(Map.of()));
    assertEquals(Credentials.of("secret"), ofSentinels(Map.of("sentinel.password", "secret")));
    assertEquals(
        new Credentials("watcher", "secret"),
        ofSentinels(Map.of("sentinel.user", "watcher", "sentinel.password", "secret")));
  }

  @Test
  void aUserOfSentinelsWithoutAPasswordIsRefused() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> settings(Map.of("sentinel.user", "watcher")));

    assertEquals(
        "property 'sentinel.user' needs 'sentinel.password' too; set both, or leave out both",
        e.getMessage());
  }
}
