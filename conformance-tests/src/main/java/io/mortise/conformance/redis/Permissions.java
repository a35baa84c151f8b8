package io.mortise.conformance.redis;

import java.util.List;
import java.util.stream.Stream;

/**
 * The rules of the ACL users that the documentation shows, word for word. The tests give exactly
 * these, and leave each of them out once.
 */
public final class Permissions {
  /** Without one of these, no service opens on a single server. */
  public static final List<String> NEEDED =
      words(
          "+evalsha +eval +subscribe +publish",
          "+time +exists +type +pttl +pexpire +del +hset +hdel +hexists +hkeys +hget +hgetall",
          "+zadd +zrem +zscore +zmscore +zrange +zpopmin +zremrangebyscore");

  /** Locks work without these. The documentation says what is missing then. */
  public static final List<String> USEFUL = words("+unsubscribe +ping +client|setname");

  /** What locks need: on a single server, and on a master that sentinels name. */
  public static final List<String> LOCKS = all(NEEDED, USEFUL);

  /** What a cluster needs beside {@link #LOCKS}, on each node. */
  public static final List<String> CLUSTER = words("+cluster|slots +asking");

  /** What a sentinel must allow. */
  public static final List<String> SENTINEL =
      words(
          "+ping +subscribe +unsubscribe +client|setname +sentinel|master +sentinel|sentinels",
          "&+switch-master");

  private Permissions() {}

  private static List<String> words(String... lines) {
    return Stream.of(lines).flatMap(line -> Stream.of(line.split(" ", -1))).toList();
  }

  private static List<String> all(List<String> some, List<String> others) {
    return Stream.concat(some.stream(), others.stream()).toList();
  }

  /**
   * Leaves one rule out.
   *
   * @param rules the rules of a user
   * @param rule one of them
   * @return the others
   */
  public static List<String> without(List<String> rules, String rule) {
    return rules.stream().filter(each -> !each.equals(rule)).toList();
  }
}
