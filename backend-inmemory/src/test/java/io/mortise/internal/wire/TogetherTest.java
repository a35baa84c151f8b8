package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.LockBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * One call for many locks does to each what its own call would do, if all are free or nobody waits.
 * Otherwise it does nothing. Random locks in random states show it.
 */
@Rule({"L1", "L10", "L14", "L18"})
class TogetherTest {
  private static final int COUNT = 4;
  private static final String ID = "a:9:9:k";

  /** What may be at the keys of a lock. */
  private static final List<String> STATES =
      List.of("held", "waited", "granted", "withdrawn", "mark", "foreign", "foreign queue");

  private static final String CONTENTS =
      """
      local reply = {}
      for _, key in ipairs(KEYS) do
        local kind = redis.call('TYPE', key).ok
        local read = {string = {'GET', key}, hash = {'HGETALL', key},
          zset = {'ZRANGE', key, 0, -1}}
        reply[#reply + 1] = kind
        reply[#reply + 1] = read[kind] and redis.call(unpack(read[kind])) or ''
        reply[#reply + 1] = math.floor((redis.call('PTTL', key) + 5000) / 10000)
      end
      return reply
      """;

  private final Random random = new Random(34);
  private int number;

  @Test
  void inMemory() {
    InMemoryStore store = InMemoryStore.withMovableTime();
    try (LockBackend backend = store.backend()) {
      playAll(new StageInMemory(store, backend), 300);
    }
  }

  @Test
  void onRedis() throws IOException {
    try (RedisServer redis = RedisServer.start();
        StageOnRedis server = new StageOnRedis(redis)) {
      playAll(server, 100);
    }
  }

  private void playAll(ScriptStage.Server server, int rounds) {
    for (int i = 0; i < rounds; i++) {
      List<String> states = new ArrayList<>();
      while (states.size() < COUNT) {
        boolean free = random.nextInt(4) > 0 || i % 3 == 0;
        states.add(free ? "free" : STATES.get(random.nextInt(STATES.size())));
      }
      acquiring(server, states);
      releasing(server, states);
    }
  }

  private static void prepare(ScriptStage stage, LockKeys keys, String state) {
    switch (state) {
      case "held" -> stage.acquire(keys, "b:1:1:k");
      case "waited" -> stage.acquire(keys, "b:1:1:k").acquire(keys, "b:2:1:k");
      case "granted" ->
          stage.acquire(keys, "b:1:1:k").acquire(keys, "b:2:1:k").release(keys, "b:1:1:k");
      case "withdrawn" -> stage.withdraw(keys, ID);
      case "mark" -> {
        List<Object> unused =
            stage.other(
                "return redis.call('ZADD', KEYS[1], 9999999999999, '?b')",
                List.of(keys.all().get(2)));
      }
      case "foreign" -> write(stage, keys.lock());
      case "foreign queue" -> write(stage, keys.queue());
      default -> {}
    }
  }

  private static void write(ScriptStage stage, String key) {
    List<Object> unused = stage.other("return {redis.call('SET', KEYS[1], 'x').ok}", List.of(key));
  }

  private static List<Object> contents(ScriptStage stage) {
    List<String> keys = stage.many(COUNT).stream().flatMap(each -> each.all().stream()).toList();
    return stage.other(CONTENTS, keys);
  }

  private static void prepareAll(ScriptStage stage, List<String> states) {
    for (int i = 0; i < COUNT; i++) {
      prepare(stage, stage.many(COUNT).get(i), states.get(i));
    }
  }

  /** A Redis answers with the same number, as a text. */
  private static void assertDone(List<Object> reply) {
    assertEquals("[1]", reply.toString());
  }

  private void acquiring(ScriptStage.Server server, List<String> states) {
    ScriptStage one = new ScriptStage(server, "one:" + number);
    ScriptStage all = new ScriptStage(server, "all:" + number++);
    prepareAll(one, states);
    prepareAll(all, states);
    List<Object> before = contents(all);
    List<Object> reply = all.acquireAll(COUNT, ID).reply();
    int busy = 0;
    while (busy < COUNT && states.get(busy).equals("free")) {
      assertDone(one.attempt(one.many(COUNT).get(busy), ID).reply());
      busy++;
    }
    if (busy == COUNT) {
      assertDone(reply);
      assertEquals(contents(one), contents(all));
    } else {
      assertEquals(List.of("BUSY", busy + 1L), reply, states::toString);
      assertEquals(before, contents(all), states::toString);
    }
  }

  /** What is left to its own call gets it, and then the same keys are there. */
  private void releasing(ScriptStage.Server server, List<String> states) {
    ScriptStage one = new ScriptStage(server, "one:" + number);
    ScriptStage all = new ScriptStage(server, "all:" + number++);
    for (ScriptStage stage : List.of(one, all)) {
      for (int i = 0; i < COUNT; i++) {
        LockKeys keys = stage.many(COUNT).get(i);
        switch (states.get(i)) {
          case "free" -> stage.acquire(keys, ID);
          case "waited" -> stage.acquire(keys, ID).acquire(keys, "b:2:1:k");
          default -> prepare(stage, keys, states.get(i));
        }
      }
    }
    List<Object> reply = all.leaveAll(COUNT, ID).reply();
    List<Object> left = new ArrayList<>(List.of("REST"));
    for (int i = 0; i < COUNT; i++) {
      List<Object> own = one.release(one.many(COUNT).get(i), ID).reply();
      if (states.get(i).equals("free")) {
        assertDone(own);
      } else {
        left.add(i + 1L);
        assertEquals(own, all.release(all.many(COUNT).get(i), ID).reply(), states::toString);
      }
    }
    assertEquals(left.size() == 1 ? "[1]" : left.toString(), reply.toString(), states::toString);
    assertEquals(contents(one), contents(all), states::toString);
  }
}
