package io.mortise.conformance.spi;

import java.util.List;
import java.util.stream.Stream;

/**
 * The language and the commands that lock scripts use, as samples with their exact replies. Redis
 * 6.2, Redis 7 and every other engine must answer alike; whatever is not in here a lock script does
 * not use.
 */
public final class LuaCorpus {
  private static final String STAMP = "1700000000123456";

  private LuaCorpus() {}

  /**
   * All samples.
   *
   * @return language first, then commands
   */
  public static List<LuaSample> samples() {
    return Stream.of(language(), numbers(), errors(), LuaCommands.samples())
        .flatMap(List::stream)
        .toList();
  }

  private static List<LuaSample> language() {
    return List.of(
        LuaSample.of("arguments are strings", "return {type(ARGV[2]), ARGV[2]}", "string", "007")
            .with("007"),
        LuaSample.of("lengths", "return {#KEYS, #ARGV, #ARGV[2]}", 3L, 3L, 3L).with("abc", "d"),
        LuaSample.of("an absent argument is nil", "return {ARGV[9] == nil and 1 or 0}", 1L),
        LuaSample.of(
                "the client of an id",
                "return {string.match(ARGV[2], '^[^:]*'), string.match('alone', '^[^:]*')}",
                "host%20a-12",
                "alone")
            .with("host%20a-12:7:main"),
        LuaSample.of(
                "a prefix by sub",
                "return {string.sub(ARGV[2], 1, 2), string.sub(ARGV[2], 3), #string.sub('', 1, 1)}",
                "g|",
                "id",
                0L)
            .with("g|id"),
        LuaSample.of("texts join", "return {ARGV[2] .. ':' .. ARGV[3]}", "a:b").with("a", "b"),
        LuaSample.of(
            "loops and tables",
            "local r = {} for i, v in ipairs({'a', 'b'}) do r[#r + 1] = v r[#r + 1] = i end"
                + " for i = 3, 1, -1 do table.insert(r, i) end return r",
            "a",
            1L,
            "b",
            2L,
            3L,
            2L,
            1L),
        LuaSample.of(
            "while, break and repeat",
            "local n = 0 while true do n = n + 1 if n == 5 then break end end"
                + " repeat n = n - 1 until n <= 2 return {n}",
            2L),
        LuaSample.of(
            "a local function with several results",
            "local function f(a) return a, a + 1 end local x, y = f(4) return {x, y, (f(9))}",
            4L,
            5L,
            9L),
        LuaSample.of(
            "a table as a set",
            "local dead = {} dead['a'] = true local r = {} for _, b in ipairs({'a', 'b'}) do"
                + " if not dead[b] then r[#r + 1] = b end end return r",
            "b"),
        LuaSample.of(
            "nested tables", "return {{}, {1, {'x'}}}", List.of(), List.of(1L, List.of("x"))),
        LuaSample.of("true is 1", "return {true, 'x'}", 1L, "x"),
        LuaSample.of(
            "and, or, not", "return {nil or 'd', not nil and 1 or 0, (0 and 1)}", "d", 1L, 1L),
        LuaSample.of("texts are equal by content", "return {ARGV[2] == 'try' and 1 or 0}", 1L)
            .with("try"));
  }

  private static List<LuaSample> numbers() {
    return List.of(
        LuaSample.of(
            "a time in µs stays exact", "return {" + STAMP + " + 1}", 1_700_000_000_123_457L),
        LuaSample.of(
                "tonumber",
                "return {tonumber(ARGV[2]) + 1, tonumber('x') == nil and 1 or 0,"
                    + " tonumber('') == nil and 1 or 0, tonumber('-5')}",
                1_700_000_000_123_457L,
                1L,
                1L,
                -5L)
            .with(STAMP),
        LuaSample.of("a fraction is cut off", "return {3.99, -3.99, 7 / 2}", 3L, -3L, 3L),
        LuaSample.of(
            "math and remainders",
            "return {math.floor(7.9), math.max(3, 9), math.min(3, 9), 7 % 3, -7 % 3}",
            7L,
            9L,
            3L,
            1L,
            2L),
        LuaSample.of("numbers compare as numbers", "return {10 > 9 and 1 or 0}", 1L),
        LuaSample.of(
            "the server's time",
            "local t = redis.call('TIME') local us = tonumber(t[1]) * 1000000 + tonumber(t[2])"
                + " return {#t, type(t[1]), type(t[2]), us >= 0 and us % 1 or 1,"
                + " tonumber(t[2]) < 1000000 and 1 or 0}",
            2L,
            "string",
            "string",
            0L,
            1L),
        LuaSample.of(
            "a number as an argument of a command",
            "redis.call('SET', KEYS[1], " + STAMP + " + 1) return {redis.call('GET', KEYS[1])}",
            "1700000000123457"),
        LuaSample.of(
            "a negative number as an argument",
            "redis.call('SET', KEYS[1], -3) return {redis.call('GET', KEYS[1])}",
            "-3"));
  }

  private static List<LuaSample> errors() {
    String text = "redis.call('SET', KEYS[1], 'v') ";
    return List.of(
        LuaSample.fails("an error reply", "return redis.error_reply('MY text')", "MY text"),
        LuaSample.fails("an error table", "return {err = 'MY text'}", "MY text"),
        LuaSample.fails("reading an undeclared global", "return {nosuch}", "ERR"),
        LuaSample.fails("writing a global", "nosuch = 1 return {1}", "ERR"),
        LuaSample.fails("changing a library", "string.match = nil return {1}", "ERR"),
        LuaSample.fails("a raised error", "error('boom')", "ERR"),
        LuaSample.fails("an unknown command", "return {redis.call('NOSUCH')}", "ERR"),
        LuaSample.of(
            "globals through pcall",
            "local r = pcall(function() return nosuch end)"
                + " local w = pcall(function() nosuch = 1 end) return {r and 1 or 0, w and 1 or 0}",
            0L,
            0L),
        LuaSample.of(
            "redis.pcall answers an error table",
            text + "local r = redis.pcall('HGET', KEYS[1], 'f') return {type(r), type(r.err)}",
            "table",
            "string"),
        LuaSample.of(
            "redis.pcall passes a good reply on",
            "local r = redis.pcall('SET', KEYS[1], 'v') return {r.ok, r.err == nil and 1 or 0}",
            "OK",
            1L),
        LuaSample.of(
            "redis.call raises, and pcall catches it",
            text + "local ok = pcall(redis.call, 'HGET', KEYS[1], 'f') return {ok and 1 or 0}",
            0L),
        LuaSample.of(
            "TYPE tells a foreign key",
            text
                + "redis.call('HSET', KEYS[2], 'f', 'v') redis.call('ZADD', KEYS[3], 1, 'm')"
                + " return {redis.call('TYPE', KEYS[1]).ok, redis.call('TYPE', KEYS[2]).ok,"
                + " redis.call('TYPE', KEYS[3]).ok, redis.call('TYPE', KEYS[1] .. 'x').ok}",
            "string",
            "hash",
            "zset",
            "none"),
        LuaSample.of(
            "what was written before an error stays",
            "pcall(function() redis.call('SET', KEYS[1], 'v') error('boom') end)"
                + " return {redis.call('GET', KEYS[1])}",
            "v"));
  }
}
