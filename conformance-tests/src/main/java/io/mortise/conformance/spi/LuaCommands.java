package io.mortise.conformance.spi;

import java.util.List;
import java.util.stream.Stream;

/** The part of the corpus that is about commands. */
final class LuaCommands {
  private static final String STAMP = "1700000000123456";

  private LuaCommands() {}

  static List<LuaSample> samples() {
    return Stream.of(strings(), hashes(), zsets(), messages()).flatMap(List::stream).toList();
  }

  private static List<LuaSample> strings() {
    return List.of(
        LuaSample.of(
            "GET of nothing is false",
            "local r = redis.call('GET', KEYS[1]) return {r == false and 1 or 0, r == nil and 1 or 0,"
                + " r and 1 or 0, tonumber(r or '7')}",
            1L,
            0L,
            0L,
            7L),
        LuaSample.of(
                "SET, GET, DEL",
                "return {redis.call('SET', KEYS[1], ARGV[2]), redis.call('GET', KEYS[1]),"
                    + " redis.call('DEL', KEYS[1], KEYS[2]), redis.call('DEL', KEYS[1])}",
                "OK",
                "ä€",
                1L,
                0L)
            .with("ä€"),
        LuaSample.of(
            "SET NX and PX",
            "return {redis.call('SET', KEYS[1], 'a', 'NX', 'PX', 5000),"
                + " redis.call('SET', KEYS[1], 'b', 'NX') == false and 1 or 0,"
                + " redis.call('GET', KEYS[1])}",
            "OK",
            1L,
            "a"),
        LuaSample.of(
            "INCR and INCRBY",
            "return {redis.call('INCR', KEYS[1]), redis.call('INCRBY', KEYS[1], 64)}",
            1L,
            65L),
        LuaSample.of(
            "EXISTS counts its keys",
            "local none = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3])"
                + " redis.call('SET', KEYS[2], 'v')"
                + " return {none, redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]),"
                + " redis.call('EXISTS', KEYS[2], KEYS[2])}",
            0L,
            1L,
            2L),
        LuaSample.of(
                "PTTL of nothing, without and with an end",
                "local none = redis.call('PTTL', KEYS[1]) redis.call('SET', KEYS[1], 'v')"
                    + " local without = redis.call('PTTL', KEYS[1])"
                    + " local set = redis.call('PEXPIRE', KEYS[1], ARGV[2])"
                    + " local p = redis.call('PTTL', KEYS[1])"
                    + " return {none, without, set, p > 29000 and p <= 30000 and 1 or p,"
                    + " redis.call('PEXPIRE', KEYS[2], 1000)}",
                -2L,
                -1L,
                1L,
                1L,
                0L)
            .with("30000"),
        LuaSample.of(
            "a number as PEXPIRE's argument, and PERSIST",
            "redis.call('SET', KEYS[1], 'v') redis.call('PEXPIRE', KEYS[1], 2 * 15000)"
                + " local p = redis.call('PTTL', KEYS[1])"
                + " return {p > 29000 and p <= 30000 and 1 or p, redis.call('PERSIST', KEYS[1]),"
                + " redis.call('PTTL', KEYS[1])}",
            1L,
            1L,
            -1L),
        LuaSample.of(
            "PEXPIRE 0 deletes",
            "redis.call('SET', KEYS[1], 'v')"
                + " return {redis.call('PEXPIRE', KEYS[1], 0), redis.call('EXISTS', KEYS[1])}",
            1L,
            0L));
  }

  private static List<LuaSample> hashes() {
    return List.of(
        LuaSample.of(
            "HSET, HEXISTS, HGET, HDEL",
            "return {redis.call('HEXISTS', KEYS[1], 'a'), redis.call('HSET', KEYS[1], 'a', 1),"
                + " redis.call('HSET', KEYS[1], 'a', 2), redis.call('HGET', KEYS[1], 'a'),"
                + " redis.call('HEXISTS', KEYS[1], 'a'), redis.call('HDEL', KEYS[1], 'b'),"
                + " redis.call('HDEL', KEYS[1], 'a'), redis.call('EXISTS', KEYS[1])}",
            0L,
            1L,
            0L,
            "2",
            1L,
            0L,
            1L,
            0L),
        LuaSample.of(
                "HKEYS, HLEN, HGETALL",
                "local none = redis.call('HKEYS', KEYS[1]) redis.call('HSET', KEYS[1], ARGV[2], 1)"
                    + " return {#none, redis.call('HKEYS', KEYS[1]), redis.call('HLEN', KEYS[1]),"
                    + " redis.call('HKEYS', KEYS[1])[1], redis.call('HGETALL', KEYS[1])}",
                0L,
                List.of("id:1"),
                1L,
                "id:1",
                List.of("id:1", "1"))
            .with("id:1"),
        LuaSample.of(
            "HINCRBY",
            "redis.call('HSET', KEYS[1], 'a', 1)"
                + " return {redis.call('HINCRBY', KEYS[1], 'a', 1), redis.call('HINCRBY', KEYS[1], 'a', -2)}",
            2L,
            0L),
        LuaSample.of(
            "a field more keeps the TTL",
            "redis.call('HSET', KEYS[1], 'a', 1) redis.call('PEXPIRE', KEYS[1], 30000)"
                + " redis.call('HSET', KEYS[1], 'b', 1) redis.call('HDEL', KEYS[1], 'a')"
                + " return {redis.call('PTTL', KEYS[1]) > 29000 and 1 or 0}",
            1L));
  }

  private static List<LuaSample> zsets() {
    String three =
        "redis.call('ZADD', KEYS[1], "
            + STAMP
            + ", 'b') redis.call('ZADD', KEYS[1], "
            + STAMP
            + " + 1, 'a') redis.call('ZADD', KEYS[1], "
            + STAMP
            + ", 'c') ";
    return List.of(
        LuaSample.of(
            "a score in µs stays exact",
            "redis.call('ZADD', KEYS[1], "
                + STAMP
                + " + 1, 'm')"
                + " local s = redis.call('ZSCORE', KEYS[1], 'm')"
                + " return {s, tonumber(s) + 1, redis.call('ZSCORE', KEYS[1], 'x') == false and 1 or 0}",
            "1700000000123457",
            1_700_000_000_123_458L,
            1L),
        LuaSample.of(
            "ZSCORE of no key is false",
            "return {redis.call('ZSCORE', KEYS[1], 'm') and 1 or 0}",
            0L),
        LuaSample.of(
            "ZADD, also with NX",
            "return {redis.call('ZADD', KEYS[1], 5, 'm'), redis.call('ZADD', KEYS[1], 6, 'm'),"
                + " redis.call('ZADD', KEYS[1], 'NX', 7, 'm'), redis.call('ZSCORE', KEYS[1], 'm'),"
                + " redis.call('ZADD', KEYS[1], 'NX', 7, 'n')}",
            1L,
            0L,
            0L,
            "6",
            1L),
        LuaSample.of(
            "ZPOPMIN takes the lowest, ties by name",
            three
                + "local h = redis.call('ZPOPMIN', KEYS[1])"
                + " return {h[1], h[2], redis.call('ZPOPMIN', KEYS[1])[1],"
                + " redis.call('ZPOPMIN', KEYS[1])[1], #redis.call('ZPOPMIN', KEYS[1]),"
                + " redis.call('EXISTS', KEYS[1])}",
            "b",
            STAMP,
            "c",
            "a",
            0L,
            0L),
        LuaSample.of(
            "ZRANGE",
            three
                + "return {redis.call('ZRANGE', KEYS[1], 0, -1), redis.call('ZRANGE', KEYS[1], 0, 0),"
                + " redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES'),"
                + " redis.call('ZRANGE', KEYS[1], 5, 9), redis.call('ZRANGE', KEYS[2], 0, -1)}",
            List.of("b", "c", "a"),
            List.of("b"),
            List.of("a", "1700000000123457"),
            List.of(),
            List.of()),
        LuaSample.of(
                "ZRANGEBYSCORE",
                three
                    + "return {redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', "
                    + STAMP
                    + "),"
                    + " redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf', 'LIMIT', 0, 1),"
                    + " redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[2], '+inf')}",
                List.of("b", "c"),
                List.of("b"),
                List.of("a"))
            .with(STAMP),
        LuaSample.of(
            "ZREMRANGEBYSCORE, ZCARD, ZREM",
            three
                + "return {redis.call('ZCARD', KEYS[1]),"
                + " redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', "
                + STAMP
                + "),"
                + " redis.call('ZREM', KEYS[1], 'b'), redis.call('ZREM', KEYS[1], 'a', 'z'),"
                + " redis.call('ZCARD', KEYS[1]), redis.call('EXISTS', KEYS[1])}",
            3L,
            2L,
            0L,
            1L,
            0L,
            0L));
  }

  private static List<LuaSample> messages() {
    return List.of(
        LuaSample.of(
                "PUBLISH to nobody answers 0, through redis.pcall too",
                "local r = redis.pcall('PUBLISH', ARGV[1], ARGV[2])"
                    + " return {redis.call('PUBLISH', ARGV[1], 'x'), type(r), r}",
                0L,
                "number",
                0L)
            .with("g|id:1"));
  }
}
