package io.mortise.jmh.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.conformance.redis.ShardedPublish;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The two services of the question about sharded PUBLISH. */
@Tag("all")
class ShardedQuestionTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final ProcessQuestion PROCESSES =
      new ProcessQuestion(
          "Any",
          new Load(Load.Kind.PLAIN, 2, 1),
          "work",
          List.of(0),
          List.of(Contestant.MORTISE_JEDIS));

  /** The key and the channel have different slots. */
  private static final ScriptCall PUBLISH =
      new ScriptCall(
          Script.of(
              "publish", "return type(redis.pcall('PUBLISH', ARGV[1], '')) == 'table' and 1 or 0"),
          List.of("key"),
          List.of("channel"),
          TIMEOUT);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aScriptIsRefusedPublishOnlyWhereItIsSharded(boolean shards) {
    try (ShardedPublish cluster = new ShardedQuestion(PROCESSES, shards).start();
        LockBackend backend =
            jedis().open(new BackendConfig(cluster.uri(), TIMEOUT, "bench", Map.of()))) {
      assertEquals(List.of(shards ? 1L : 0L), backend.execute(PUBLISH));
    }
  }

  private static LockBackendProvider jedis() {
    return ServiceLoader.load(LockBackendProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(each -> each.name().equals("jedis"))
        .findFirst()
        .orElseThrow();
  }
}
