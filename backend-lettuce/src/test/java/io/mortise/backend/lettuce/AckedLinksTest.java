package io.mortise.backend.lettuce;

import static io.mortise.backend.lettuce.Fixture.failure;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ReplicaAcks;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The connections of calls that ask for more replicas than there are. Each waits its whole time.
 */
@Tag("ci")
final class AckedLinksTest {
  private static ScriptCall asking(String key, Duration wait) {
    return Fixture.count(key, Duration.ofSeconds(20)).withAcks(new ReplicaAcks(5, wait));
  }

  /** The connections of the backend, with that for messages. */
  private static long connections(RedisServer server) {
    return String.valueOf(server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> !line.contains(" cmd=client"))
        .count();
  }

  @Test
  @DisplayName("B19, B24: there are at most eight, and all are closed with the backend")
  void byUri() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      atMostEight(Fixture.open(server.uri()), server);
    }
  }

  @Test
  @DisplayName("B17, B24: the same on an application's client")
  void onAGivenClient() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisClient client = RedisClient.create()) {
      atMostEight(LettuceBackend.of(client, RedisURI.create(server.uri())), server);
    }
  }

  private static void atMostEight(LockBackend backend, RedisServer server) throws Exception {
    List<CompletableFuture<List<Object>>> replies = new ArrayList<>();
    for (int i = 1; i <= AckedLinks.MOST; i++) {
      replies.add(backend.executeAsync(asking("k", Duration.ofSeconds(3))));
      String ran = String.valueOf(i);
      Fixture.await("it ran", () -> ran.equals(server.command("GET", "k")));
    }
    for (int i = 0; i < 50; i++) {
      replies.add(backend.executeAsync(asking("k", Duration.ofSeconds(1))));
    }
    replies.forEach(reply -> assertEquals(0L, Await.value(reply).get(1)));
    assertEquals(2 + AckedLinks.MOST, connections(server));
    var last = backend.executeAsync(asking("last", Duration.ofSeconds(9)));
    Fixture.await("it ran", () -> "1".equals(server.command("GET", "last")));

    backend.close();

    assertEquals(Outcome.UNKNOWN, failure(last).outcome());
    var after = backend.executeAsync(asking("after", Duration.ofSeconds(1)));
    assertEquals(Outcome.NOT_EXECUTED, failure(after).outcome());
    Fixture.await("all are closed", () -> connections(server) == 0);
  }

  @Test
  @DisplayName("B22, B24: each node of a cluster has its own")
  void onACluster() {
    try (LockBackend backend = Fixture.open(RedisCluster.shared().uri())) {
      List<CompletableFuture<List<Object>>> replies = new ArrayList<>();
      for (int i = 0; i < 90; i++) { // 30 s in turn at each of three nodes
        replies.add(backend.executeAsync(asking("acked-" + i, Duration.ofSeconds(1))));
      }
      replies.forEach(reply -> assertEquals(2, Await.value(reply).size()));
    }
  }
}
