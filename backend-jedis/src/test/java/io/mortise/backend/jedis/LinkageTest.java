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
    List<String> missing = LINKAGE.missing(OldClientTest.jedis("4.4.8"));
    String method = "Attempt: no redis.clients.jedis.Connection.getUnflushedObject()";
    String field = "Links: no redis.clients.jedis.Protocol$Command.HELLO:";
    for (String reference : List.of(method, field)) {
      assertTrue(missing.stream().anyMatch(each -> each.startsWith(reference)), missing::toString);
    }
  }
}
