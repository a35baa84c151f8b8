package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The corpus expects what the servers really answer. */
class LuaCorpusTest {
  @RegisterExtension static final RedisExtension INSTALLED = RedisExtension.installed();

  @RegisterExtension
  static final RedisExtension OLDEST =
      RedisExtension.of(RedisServer.builder().binary(RedisServer.Binary.EMBEDDED));

  static List<LuaSample> samples() {
    return LuaCorpus.samples();
  }

  @OnEachServer
  @ParameterizedTest(name = "{0}")
  @MethodSource("samples")
  void theInstalledRedisAgrees(LuaSample sample) {
    check(INSTALLED.server(), sample);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("samples")
  void redis62Agrees(LuaSample sample) {
    check(OLDEST.server(), sample);
  }

  private static void check(RedisServer server, LuaSample sample) {
    server.command("FLUSHALL");
    List<String> words =
        new ArrayList<>(List.of("EVAL", sample.source(), "3", "a", "b", "c", "channel"));
    words.addAll(sample.args());
    String[] command = words.toArray(String[]::new);
    if (sample.fails()) {
      RespException error = assertThrows(RespException.class, () -> server.command(command));
      assertTrue(String.valueOf(error.getMessage()).startsWith(sample.error()), error::toString);
    } else {
      assertEquals(sample.reply(), server.command(command));
    }
  }

  @Test
  void everySampleHasANameOfItsOwn() {
    assertTrue(samples().size() > 50, "the corpus was read");
    Set<String> names = new HashSet<>();
    samples().forEach(sample -> assertTrue(names.add(sample.name()), sample::name));
  }
}
