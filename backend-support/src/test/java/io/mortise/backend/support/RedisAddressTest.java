package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.spi.Credentials;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {
  private static RedisAddress read(String uri) {
    return RedisAddress.of(URI.create(uri));
  }

  @Test
  void everyPartIsRead() {
    assertEquals(
        new RedisAddress(true, "my_host", 6380, new Credentials("us er", "p+a:s@s"), 3),
        read("rediss://us%20er:p+a%3As%40s@my_host:6380/3"));
  }

  @Test
  void allButTheHostMayBeLeftOut() {
    assertEquals(new RedisAddress(false, "host", 6379, null, 0), read("redis://host"));
    assertEquals(new RedisAddress(false, "host", 6379, null, 0), read("REDIS://host/"));
    assertEquals(
        new RedisAddress(false, "[::1]", 1, Credentials.of("secret"), 0),
        read("redis://:secret@[::1]:1"));
  }

  @Test
  void valkeyMeansTheSameAsRedis() {
    assertEquals(read("redis://me:word@host:7/2"), read("valkey://me:word@host:7/2"));
    assertEquals(read("rediss://host"), read("valkeys://host"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis:host",
        "redis://",
        "redis:///0",
        "redis://host:0",
        "redis://host:65536",
        "redis://host:port",
        "redis://host/name",
        "redis://host/0/1",
        "redis://host?s3cr3t",
        "redis://s3cr3t@host",
        "redis://a:s3cr3t:b@c@host",
        "memory:s3cr3t",
      })
  void anythingElseIsRefusedAndNotShown(String uri) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> read(uri), uri);

    assertFalse(String.valueOf(e.getMessage()).contains("s3cr3t"), e.getMessage());
  }

  @Test
  void itsTextHasNoSecret() {
    assertEquals("rediss://host:7/2", read("rediss://user:secret@host:7/2").toString());
  }
}
