package io.mortise.backend.jedis;

import io.mortise.conformance.client.ClientJar;
import io.mortise.conformance.client.ClientSmoke;
import io.mortise.conformance.client.OtherClient;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.LockBackend;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.UnifiedJedis;

/** Supported versions of Jedis, by URI and as an application's own client. */
@Tag("ci")
class SmokeTest {
  static List<ClientJar> versions() {
    return ClientJar.ends(LinkageTest.versions());
  }

  @ParameterizedTest
  @MethodSource("versions")
  void byUri(ClientJar version) {
    OtherClient.run(version, ByUri.class);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void ownClient(ClientJar version) {
    OtherClient.run(version, OwnClients.class);
  }

  static final class ByUri implements Runnable {
    @Override
    public void run() {
      ClientSmoke.run(new JedisBackendProvider());
    }
  }

  static final class OwnClients implements Runnable {
    @Override
    public void run() {
      OwnClient.ofThisVersion().forEach(OwnClients::run);
    }

    private static void run(OwnClient kind) {
      try (RedisServer server = RedisServer.start()) {
        URI uri = server.uri();
        try (UnifiedJedis mine = kind.open(uri);
            UnifiedJedis theirs = kind.open(uri);
            LockBackend one = JedisBackend.of(mine);
            LockBackend two = JedisBackend.of(theirs)) {
          ClientSmoke.run(server, one, two);
        }
      }
    }
  }
}
