package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What scripts can do, and the replies of callers. The texts are those of redis-server 7.0.15. */
class ScriptsTest {
  private final InMemoryStore store = InMemoryStore.create();
  private final LockBackend backend = store.backend();

  @AfterEach
  void close() {
    backend.close();
  }

  private Object one(String expression) {
    return Calls.eval(backend, "return {" + expression + "}").get(0);
  }

  private String error(String lua) {
    BackendException e = assertThrows(BackendException.class, () -> Calls.eval(backend, lua), lua);
    assertEquals(Outcome.REPLIED, e.outcome());
    return String.valueOf(e.getMessage());
  }

  @Test
  @DisplayName(
      "B8: numbers are truncated, true is 1, false is null, the list ends at the first nil")
  void repliesAreConvertedAsByRedis() {
    assertEquals(
        Arrays.asList(1L, 2L, -2L, "a", 1L, null, 4L),
        Calls.eval(backend, "return {1, 2.9, -2.9, 'a', true, false, 4, nil, 5}"));
    assertEquals(
        List.of(1L, List.of(2L, List.of(3L)), "FINE", "OK"),
        Calls.eval(
            backend,
            "return {1, {2, {3, nil, 4}}, redis.status_reply('FINE'), redis.call('SET', 'a', 1)}"));
    assertEquals(List.of(), Calls.eval(backend, "return {a = 1}"));
    assertEquals(1700000000123456L, one("1700000000123456"));
  }

  @Test
  @DisplayName("B8: a reply that is no array and no integer is an error, although the script ran")
  void aReplyThatIsNoArrayIsRefused() {
    for (String lua : List.of("return 'x'", "return nil", "return {ok = 'OK'}")) {
      BackendException e =
          assertThrows(
              BackendException.class,
              () -> Calls.eval(backend, "redis.call('INCR', 'ran') " + lua));
      assertEquals(Outcome.UNKNOWN, e.outcome());
    }
    assertEquals("3", one("redis.call('GET', 'ran')"));
  }

  @Test
  @DisplayName("B9: keys, arguments and replies are UTF-8, beyond the basic plane too")
  void textIsUtf8() {
    String text = "schloß 錠 🔒";
    ScriptCall call =
        new ScriptCall(
            Script.of("utf8", "redis.call('SET', KEYS[1], ARGV[1]) return {KEYS[1], #ARGV[1]}"),
            List.of(text),
            List.of(text),
            Duration.ofSeconds(1));
    assertEquals(
        List.of(text, (long) text.getBytes(StandardCharsets.UTF_8).length), backend.execute(call));
    assertEquals(text, Calls.eval(backend, "return {redis.call('GET', ARGV[1])}", text).get(0));
    assertEquals(text, one("'" + text + "'"));
    assertEquals(Set.of(text), store.keys());
  }

  @ParameterizedTest
  @CsvSource({
    "1700000000123456, 1700000000123456",
    "9007199254740992, 9007199254740992",
    "1e16, 10000000000000000",
    "1e17, 1e+17",
    "123456789012345678, 1.2345678901234568e+17",
    "0.1, 0.10000000000000001",
    "1e-5, 1.0000000000000001e-05",
    "0.0001, 0.0001",
    "1e300, 1.0000000000000001e+300",
    "-1.25e-7, -1.2499999999999999e-07",
    "1/0, inf",
    "-1/0, -inf",
    "0/0, -nan",
    "12, 12",
    "-7.0, -7"
  })
  void numbersGivenToACommandAreWrittenAsByRedis(String number, String text) {
    assertEquals(
        text,
        Calls.eval(
                backend, "redis.call('SET', 'n', " + number + ") return {redis.call('GET', 'n')}")
            .get(0));
  }

  @Test
  void repliesOfCommandsAreConvertedAsByRedis() {
    assertEquals(
        Arrays.asList(1L, 1L, "OK", "number", "table", 0L),
        Calls.eval(
            backend,
            """
            return {redis.call('GET', 'none') == false, redis.call('EXISTS', 'none') == 0,
                redis.call('SET', 'a', 'x').ok, type(redis.call('PTTL', 'a')),
                type(redis.call('HGETALL', 'h')), #redis.call('HGETALL', 'h')}
            """));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "os",
        "io",
        "luajava",
        "require",
        "package",
        "load",
        "loadstring",
        "loadfile",
        "dofile",
        "debug",
        "coroutine",
        "print",
        "_G",
        "rawset",
        "rawget",
        "setmetatable",
        "getmetatable",
        "collectgarbage",
        "bit32",
        "undefined",
        "string.dump",
        "table.unpack",
        "table.pack"
      })
  void nothingThatReachesOutsideIsThere(String name) {
    if (name.contains(".")) {
      assertEquals("nil", one("tostring(" + name + ")"));
    } else {
      assertTrue(
          error("return {" + name + "}")
              .startsWith(
                  "ERR user_script:1: Script attempted to access nonexistent global variable '"
                      + name
                      + "' script: "));
    }
  }

  @Test
  void whatScriptsNeedIsThere() {
    assertEquals(
        List.of("function", "table", "number", "FUNCTION", 3L, "b", 4L, "2-b", "0x", 2L, "a,b"),
        Calls.eval(
            backend,
            """
            local parts = {}
            for i, v in ipairs({'a', 'b'}) do parts[1] = i .. '-' .. v end
            local n = 0
            for _ in pairs({a = 1, b = 2}) do n = n + 1 end
            return {type(next), type(KEYS), type(math.floor(1.5)), type(pcall):upper(),
                select('#', 1, 2, 3), (select(2, 'a', 'b')), math.max(1, 4), parts[1],
                string.format('%dx', 0), n, table.concat({unpack({'a', 'b', 'c'}, 1, 2)}, ',')}
            """));
  }

  @Test
  void globalsAreReadOnly() {
    assertTrue(
        error("counter = 1 return {}")
            .startsWith("ERR user_script:1: Script attempted to create global variable 'counter'"));
    assertTrue(error("function f() end return {}").contains("global variable 'f'"));
    for (String lua : List.of("string.upper = 1", "redis.call = 1", "table.insert(math, 1)")) {
      assertTrue(
          error(lua + " return {}")
              .startsWith("ERR user_script:1: Attempt to modify a readonly table script: "));
    }
    assertTrue(error("string = nil return {}").contains("'string'"));
    assertTrue(error("KEYS = {} return {}").contains("'KEYS'"));
  }

  @Test
  void aScriptCannotSpoilTheNextRun() {
    assertEquals("mine", Calls.eval(backend, "local f = type _ENV = {} return {'mine'}").get(0));
    ScriptCall call = Calls.call("_ENV.KEYS[1] = 'x' local e = _ENV _ENV = {} return {e.KEYS[1]}");
    assertEquals(List.of("x"), backend.execute(call));
    assertEquals(List.of("x"), backend.execute(call));
    assertEquals(0L, one("#KEYS"));
  }

  @Test
  @DisplayName("B1: an error reply is REPLIED and begins with its code")
  void errorsOfCommandsReachTheCaller() {
    String script = "redis.call('SET', 'a', 1)\nredis.call('HGET', 'a', 'f')\nreturn {}";
    String sha1 = Script.of("test", script).sha1();
    assertEquals(
        "WRONGTYPE Operation against a key holding the wrong kind of value script: "
            + sha1
            + ", on @user_script:2.",
        error(script));
    assertTrue(
        error("redis.call('NOSUCH') return {}")
            .startsWith("ERR Unknown Redis command called from script script: "));
    assertTrue(
        error("redis.call('SET', 'a') return {}")
            .startsWith("ERR Wrong number of args calling Redis command from script script: "));
    assertTrue(
        error("redis.call() return {}")
            .startsWith(
                "ERR Please specify at least one argument for this redis lib call script: "));
    for (String argument : List.of("{}", "true", "nil, 1")) {
      assertTrue(
          error("redis.call('SET', 'a', " + argument + ") return {}")
              .startsWith("ERR Lua redis lib command arguments must be strings or integers"));
    }
  }

  @Test
  void raisedErrorsReachTheCallerWithTheirPlace() {
    assertTrue(error("\nerror('boom')").startsWith("ERR user_script:2: boom script: "));
    assertTrue(error("\nerror('boom')").endsWith(", on @user_script:2."));
    assertTrue(error("error({err = 'MINE boom'})").startsWith("MINE boom script: "));
    assertTrue(error("error()").startsWith("ERR nil script: "));
    assertTrue(error("error({x = 1})").startsWith("ERR unknown error script: "));
    assertTrue(error("assert(false)").startsWith("ERR user_script:1: assertion failed! script: "));
    assertTrue(error("assert(false, 'hm')").startsWith("ERR user_script:1: hm script: "));
    assertTrue(error("local t; return {t.x}").startsWith("ERR user_script:1: attempt to index "));
    assertTrue(error("local function f() return f() + 1 end f()").startsWith("ERR "));
  }

  @Test
  void errorRepliesReachTheCaller() {
    assertEquals("MINE boom", error("return redis.error_reply('MINE boom')"));
    assertEquals("MINE boom", error("return redis.error_reply('-MINE boom')"));
    assertEquals("ERR MINE", error("return redis.error_reply('MINE')"));
    assertEquals("ERR wrong number or type of arguments", error("return redis.error_reply(1)"));
    assertEquals("ERR wrong number or type of arguments", error("return redis.status_reply()"));
    assertEquals("foo", error("return {err = 'foo'}"));
    assertEquals("X y", error("return {1, redis.error_reply('X y')}"));
  }

  @Test
  void aScriptThatDoesNotCompileIsReported() {
    assertTrue(
        error("syntax error here")
            .startsWith("ERR Error compiling script (new function): user_script:1: "));
  }

  @Test
  void pcallAnswersTheErrorAsText() {
    assertEquals(
        Arrays.asList(null, "WRONGTYPE Operation against a key holding the wrong kind of value"),
        Calls.eval(
            backend, "redis.call('SET', 'a', 1) return {pcall(redis.call, 'HGET', 'a', 1)}"));
    assertEquals(
        Arrays.asList(null, "user_script:1: x"),
        Calls.eval(backend, "return {pcall(function() error('x') end)}"));
    assertEquals(Arrays.asList(null, "x"), Calls.eval(backend, "return {pcall(error, 'x', 0)}"));
    assertEquals(
        Arrays.asList(null, "A b"), Calls.eval(backend, "return {pcall(error, {err = 'A b'})}"));
    assertEquals(List.of(1L, 2L, 3L), Calls.eval(backend, "return {pcall(unpack, {2, 3})}"));
    assertEquals("ERR Unknown Redis command called from script", one("redis.pcall('NOSUCH').err"));
  }

  @Test
  void tostringWritesNumbersAsLua51() {
    assertEquals("1.7000000001235e+15", one("tostring(1700000000123456)"));
    assertEquals("0.1", one("tostring(0.1)"));
    assertEquals("12", one("tostring(12)"));
    assertEquals(
        "true nil x", one("tostring(true) .. ' ' .. tostring(nil) .. ' ' .. tostring('x')"));
  }

  @Test
  void whatAFailedScriptHasWrittenStays() {
    assertTrue(error("redis.call('SET', 'a', 1) error('late')").contains("late"));
    assertEquals("1", one("redis.call('GET', 'a')"));
  }

  @Test
  void commandsAndScriptsAreCounted() {
    Script script =
        Script.of("twice", "redis.call('INCR', 'a') redis.pcall('incr', 'a') return {}");
    ScriptCall call = new ScriptCall(script, List.of(), List.of(), Duration.ofSeconds(1));
    backend.execute(call);
    backend.execute(call);
    Calls.eval(backend, "redis.pcall('HGET', 'a', 'f') redis.pcall('NOSUCH') return {}");
    assertEquals(Map.of("INCR", 4L, "HGET", 1L), store.commandCounts());
    assertEquals(Map.of("twice", 2L, "test", 1L), store.scriptCounts());
    assertEquals(5, store.commands());
    store.resetCounts();
    assertEquals(Map.of(), store.commandCounts());
    assertEquals(Map.of(), store.scriptCounts());
  }
}
