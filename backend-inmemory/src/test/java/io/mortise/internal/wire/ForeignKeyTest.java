package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespException;
import io.mortise.internal.wire.ServerWork.Way;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every script, in each of its ways, with somebody else's data at each of its keys. */
@Tag("ci")
@Rule("L18")
class ForeignKeyTest {
  /** What a slow machine may take for one way. No script shortens an expiry by so little. */
  private static final long SECONDS = 2_500;

  /** Commands that write a foreign key, by its type. */
  private static final Map<String, String> TYPES = new LinkedHashMap<>();

  /** A script for many locks does the same for two of them. */
  private static final int MOST_KEYS = 10;

  private static final List<String> TYPES_IN_MEMORY = List.of("string", "hash", "zset");

  static {
    TYPES.put("string", "redis.call('SET', KEYS[1], 'theirs')");
    TYPES.put("hash", "redis.call('HSET', KEYS[1], 'theirs', 'x')");
    TYPES.put("zset", "redis.call('ZADD', KEYS[1], 7, 'theirs')");
    TYPES.put("list", "redis.call('RPUSH', KEYS[1], 'theirs')");
    TYPES.put("set", "redis.call('SADD', KEYS[1], 'theirs')");
    TYPES.put("stream", "redis.call('XADD', KEYS[1], '1-1', 'theirs', 'x')");
  }

  /** The contents and expiries of keys. */
  private static final String CONTENTS =
      """
      local reply = {}
      for _, key in ipairs(KEYS) do
        local kind = redis.call('TYPE', key).ok
        local read = {string = {'GET', key}, hash = {'HGETALL', key},
          zset = {'ZRANGE', key, 0, -1, 'WITHSCORES'}, list = {'LRANGE', key, 0, -1},
          set = {'SMEMBERS', key}, stream = {'XRANGE', key, '-', '+'}}
        reply[#reply + 1] = kind
        reply[#reply + 1] = read[kind] and redis.call(unpack(read[kind])) or ''
        reply[#reply + 1] = redis.call('PTTL', key)
      end
      return reply
      """;

  /** Scripts that say which type they found. The others do what they can without that key. */
  private static final Pattern TELLS =
      Pattern.compile(
          "(rw-|sem-)?(acquire(?!-all)|force).*|latch-(acquire|count)|sem-permits|condition");

  /** Ways that do not touch that key, or fail at it, by way and number of the key. */
  private static final Set<String> SILENT =
      Set.of("latch-acquire: open 2", "acquire: fenced, free 3");

  /** A foreign key without expiry, while alive has members of the caller. */
  private static final String MARKED = " ";

  private final List<String> failures = new ArrayList<>();
  private int number;

  @Test
  void aRedisRefusesEveryTypeAndChangesNothing() throws IOException {
    try (RedisServer redis = RedisServer.start();
        StageOnRedis server = new StageOnRedis(redis)) {
      server.hurry();
      playAll(server, TYPES.keySet());
    }
    assertEquals(List.of(), failures);
  }

  @Test
  void theStoreInMemoryRefusesItsTypesAndChangesNothing() {
    InMemoryStore store = InMemoryStore.withMovableTime();
    try (LockBackend backend = store.backend()) {
      playAll(new StageInMemory(store, backend), TYPES_IN_MEMORY);
    }
    assertEquals(List.of(), failures);
  }

  private void playAll(ScriptStage.Server server, Collection<String> types) {
    for (Way way : ServerWork.ways()) {
      ScriptStage looked = new ScriptStage(server, "looked:" + number);
      List<String> keys = looked.peek(way.measured()).keys();
      boolean leftOut = way.script().equals("check") || keys.size() > MOST_KEYS;
      for (int key = 0; key < keys.size() && !leftOut; key++) {
        for (String type : types) {
          if (!type.equals(typeOf(keys.get(key)))) {
            play(way, key, type, "", new ScriptStage(server, "foreign:" + number++));
            String expiry = " redis.call('PEXPIRE', KEYS[1], 777777)";
            play(way, key, type, expiry, new ScriptStage(server, "foreign:" + number++));
            play(way, key, type, MARKED, new ScriptStage(server, "foreign:" + number++));
          }
        }
      }
    }
  }

  private static String typeOf(String key) {
    return key.contains(":fence:")
        ? "string"
        : key.matches("mortise:(rw:)?lock:.*|[^{]*") ? "hash" : "zset";
  }

  /** The key alive has what a script would remove: the caller, and its mailbox as a silent one. */
  private static void mark(ScriptStage stage, ScriptCall call) {
    String id = call.args().isEmpty() ? "" : call.args().get(0);
    String members =
        "redis.call('ZADD', KEYS[1], 5, '?%s', 5, '%s')".formatted(id.replaceFirst(":.*", ""), id);
    call.keys().stream()
        .filter(key -> key.contains("alive:"))
        .forEach(key -> {
          List<Object> unused =
              stage.other(
                  members + " redis.call('PEXPIRE', KEYS[1], 20000) return {}", List.of(key));
        });
  }

  private void play(Way way, int key, String type, String expiry, ScriptStage stage) {
    way.before().accept(stage);
    ScriptCall call = stage.peek(way.measured());
    List<String> foreign = List.of(call.keys().get(key));
    if (expiry.equals(MARKED)) {
      mark(stage, call);
    }
    stage.expire(foreign.get(0));
    List<Object> unused = stage.other(TYPES.get(type) + expiry + " return {}", foreign);
    List<Object> before = stage.other(CONTENTS, call.keys());
    Object reply;
    try {
      reply = stage.run(call).reply();
    } catch (RespException | BackendException e) {
      reply = String.valueOf(e.getMessage());
    }
    List<Integer> changed = changed(before, stage.other(CONTENTS, call.keys()));
    changed.removeIf(each -> each != key && mayChange(way, call.keys().get(each)));
    boolean tells = TELLS.matcher(way.script()).matches() && !SILENT.contains(way + " " + key);
    if (!changed.isEmpty() || (tells && !reply.equals(List.of("FOREIGN", type)))) {
      failures.add(
          "%s, a %s at key %d%s: %s, changed %s"
              .formatted(way, type, key, expiry.isBlank() ? "" : " with expiry", reply, changed));
    }
  }

  /**
   * A release ends its hold before it looks at the queue. One with a rest forgets its id first.
   * Each key of a renewal is by itself.
   */
  private static boolean mayChange(Way way, String key) {
    boolean rests = way.script().equals("linger");
    boolean ends = way.script().contains("leave") || rests;
    return way.script().equals("renew")
        || (ends && !key.matches(".*(queue|alive):.*"))
        || (rests && key.contains("alive:"));
  }

  private static List<Integer> changed(List<Object> before, List<Object> after) {
    List<Integer> changed = new ArrayList<>();
    for (int i = 0; i < before.size(); i += 3) {
      long was = (Long) before.get(i + 2);
      long is = (Long) after.get(i + 2);
      boolean same = before.subList(i, i + 2).equals(after.subList(i, i + 2));
      if (!same || is > was || is < was - SECONDS) {
        changed.add(i / 3);
      }
    }
    return changed;
  }
}
