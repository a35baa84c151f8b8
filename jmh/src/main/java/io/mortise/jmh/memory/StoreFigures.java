package io.mortise.jmh.memory;

import io.mortise.conformance.redis.RedisServer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server has.
 *
 * @param data bytes without those of connections: keys, channels, scripts
 * @param clients bytes of connections
 * @param connections the number of connections, without the one that asks
 * @param keys the number of keys
 */
record StoreFigures(long data, long clients, long connections, long keys) {
  static StoreFigures of(RedisServer server) {
    String memory = String.valueOf(server.command("INFO", "memory"));
    long clients = number(memory, "mem_clients_normal");
    return new StoreFigures(
        number(memory, "used_memory") - clients,
        clients,
        String.valueOf(server.command("CLIENT", "LIST")).strip().lines().count() - 1,
        server.command("DBSIZE") instanceof Long size ? size : 0);
  }

  private static long number(String info, String field) {
    Matcher matcher = Pattern.compile("^" + field + ":(\\d+)", Pattern.MULTILINE).matcher(info);
    if (!matcher.find()) {
      throw new IllegalStateException(
          "INFO memory has no " + field + "; Redis 6.2 or later has it");
    }
    return Long.parseLong(matcher.group(1));
  }
}
