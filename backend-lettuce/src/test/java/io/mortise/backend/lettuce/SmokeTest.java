package io.mortise.backend.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.mortise.conformance.client.ClientJar;
import io.mortise.conformance.client.ClientSmoke;
import io.mortise.conformance.client.OtherClient;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.LockBackend;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Supported versions of Lettuce, by URI and as an application's own client. */
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
    OtherClient.run(version, OwnClient.class);
  }

  static final class ByUri implements Runnable {
    @Override
    public void run() {
      ClientSmoke.run(new LettuceBackendProvider());
    }
  }

  /** A client with default options. */
  static final class OwnClient implements Runnable {
    @Override
    public void run() {
      RedisClient client = RedisClient.create();
      try (RedisServer server = RedisServer.start()) {
        RedisURI uri = RedisURI.create(server.uri());
        try (LockBackend one = LettuceBackend.of(client, uri);
            LockBackend two = LettuceBackend.of(client, uri)) {
          ClientSmoke.run(server, one, two);
        }
      } finally {
        client.shutdown();
      }
    }
  }
}
