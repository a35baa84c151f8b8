package io.mortise.backend.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.client.ClientJar;
import io.mortise.conformance.client.Linkage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every supported version of Jedis has every member that the backend refers to. */
class LinkageTest {
  private static final Linkage LINKAGE = Linkage.of(Path.of("target/classes"), "redis.clients.");

  static List<ClientJar> versions() {
    return ClientJar.in(Path.of("target/clients"), "jedis");
  }

  @ParameterizedTest
  @MethodSource("versions")
  void everyReferenceIsThere(ClientJar version) {
    assertEquals(List.of(), LINKAGE.missing(version));
  }

  @Test
  void whatAnOlderVersionLacksIsSeen() {
    List<String> missing = LINKAGE.missing(OldClientTest.jedis("5.2.0"));
    String builder = "redis.clients.jedis.DefaultJedisClientConfig$Builder";
    String method = "sslOptions(Lredis/clients/jedis/SslOptions;)L" + builder.replace('.', '/');
    assertTrue(
        missing.contains("JedisBackendProvider: no class redis.clients.jedis.SslOptions"),
        missing::toString);
    assertTrue(
        missing.contains("JedisBackendProvider: no " + builder + '.' + method + ';'),
        missing::toString);
  }
}
