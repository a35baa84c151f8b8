package io.mortise.backend.support.cluster;

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
import org.junit.jupiter.params.provider.ValueSource;

class ClusterAddressTest {
  private static ClusterAddress of(String uri) {
    return ClusterAddress.of(URI.create(uri));
  }

  @Test
  @DisplayName("the seeds are in the URI's order, with the default port where none is given")
  void seeds() {
    assertEquals(
        List.of("a:1", "b_c:6379", "10.0.0.7:3"),
        of("redis-cluster://a:1,b_c,10.0.0.7:3").places());
    assertEquals(List.of("a:6379"), of("redis-cluster://a/0").places());
    assertEquals(List.of("[::1]:7000"), of("redis-cluster://[::1]:7000/").places());
  }

  @Test
  void valkeyMeansTheSameAsRedis() {
    assertEquals(of("redis-cluster://a,b:2"), of("valkey-cluster://a,b:2"));
    assertEquals(of("rediss-cluster://me:word@a"), of("valkeys-cluster://me:word@a"));
  }

  @Test
  @DisplayName("user, password and TLS are for every node that the cluster names")
  void sharedSettings() {
    ClusterAddress cluster = of("rediss-cluster://me:p%40ss@a,b:2");
    Credentials own = new Credentials("me", "p@ss");
    assertEquals(new RedisAddress(true, "c", 7, own, 0), cluster.at("c:7"));
    assertEquals(new RedisAddress(true, "::1", 7, own, 0), cluster.at("::1:7"));
    assertFalse(of("redis-cluster://a").at("c:7").tls());
  }

  @Test
  @DisplayName("B18: it shows neither user nor password")
  void noSecret() {
    assertEquals("rediss-cluster://a:6379,b:2", of("rediss-cluster://me:secret@a,b:2").toString());
  }

  @Test
  @DisplayName("B16: the database is that of every node")
  void database() {
    ClusterAddress address = of("redis-cluster://:pw@a,b:2/3");
    assertEquals(List.of("a:6379", "b:2"), address.places());
    assertEquals(3, address.at("c:7").database());
    assertEquals("redis-cluster://a:6379,b:2/3", address.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-cluster://a,,b",
        "redis-cluster://a:0",
        "redis-cluster://a:99999",
        "redis-cluster://a,b:x",
        "redis-cluster://a,b/x",
        "redis-cluster://secret@a,b",
        "redis-cluster://a?x=secret",
        "redis-cluster:secret",
      })
  @DisplayName("B16, B18: any other form is refused, and no part of it is shown")
  void otherForms(String uri) {
    IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> of(uri));
    assertTrue(String.valueOf(refusal.getMessage()).contains("must read redis"), refusal::toString);
    assertFalse(refusal.toString().contains("secret"), refusal::toString);
  }
}
