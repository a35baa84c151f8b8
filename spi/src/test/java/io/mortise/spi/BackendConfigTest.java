package io.mortise.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackendConfigTest {
  @Test
  void unknownPropertiesAreRefusedWithoutTheirValues() {
    BackendConfig config =
        new BackendConfig(
            URI.create("redis://:hush@host"),
            Duration.ofSeconds(1),
            "client",
            Map.of("tls.csd", "secret"));
    String message =
        String.valueOf(
            assertThrows(
                    IllegalArgumentException.class,
                    () -> config.requireOnly(Set.of("tls.ca", "tls.cert")))
                .getMessage());
    assertEquals(
        "property 'tls.csd' is not known for redis://host; known are: [tls.ca, tls.cert]", message);
    config.requireOnly(Set.of("tls.csd"));
  }

  @ParameterizedTest
  @CsvSource({
    "redis://user:s3cr3t@host:1/0, redis://host:1/0",
    "redis://:s3cr3t@host, redis://host",
    "redis:user:s3cr3t@host, redis://host",
    "redis://user:s3cr/s3cr3t@host/1, redis://host/1",
    "redis://user:a#s3cr3t@host, redis://host",
    "redis://host?password=s3cr3t, redis://host",
    "redis://user:s3cr3t, redis:…",
    "redis:user:s3cr3t, redis:…",
    "'redis-cluster://a:1,b:2', 'redis-cluster://a:1,b:2'",
    "redis://[::1]:3/0, redis://[::1]:3/0",
    "redis-sentinel://user:s3cr3t#m, redis-sentinel:…",
    "memory:name, memory:name",
  })
  void theEndpointIsTheUriWithoutItsSecret(String uri, String endpoint) {
    BackendConfig config =
        new BackendConfig(URI.create(uri), Duration.ofSeconds(1), "client", Map.of());

    assertEquals(endpoint, config.endpoint());
    assertFalse(config.toString().contains("s3cr3t"), config.toString());
  }
}
