package io.mortise.conformance.outside;

import io.mortise.conformance.redis.RedisServer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Logs what a server has when the workers are gone. */
final class Leftovers {
  /** The channels of sentinels. */
  private static final String SENTINELS = "__sentinel__:";

  private Leftovers() {}

  /** Logs the keys, and how often counted calls ran. */
  static void tell(Log log, String name, RedisServer server) {
    for (String key : server.keys()) {
      if (key.startsWith(Calls.PREFIX)) {
        tellCalls(log, name, key, server.command("HVALS", key));
        continue;
      }
      Object expires = server.command("PTTL", key);
      if (!Long.valueOf(-2).equals(expires)) { // not just expired
        log.tell("key", "server", name, "name", key, "expires", String.valueOf(expires));
      }
    }
  }

  /** Logs the channels that are subscribed to. */
  static void tellChannels(Log log, String name, RedisServer server) {
    if (server.command("PUBSUB", "CHANNELS") instanceof List<?> channels) {
      channels.stream()
          .map(String::valueOf)
          .filter(channel -> !channel.startsWith(SENTINELS))
          .forEach(channel -> log.tell("channel", "server", name, "name", channel));
    }
  }

  private static void tellCalls(Log log, String name, String key, @Nullable Object runs) {
    List<?> all = runs instanceof List<?> list ? list : List.of();
    long again = all.stream().filter(count -> !"1".equals(count)).count();
    log.tell(History.CALLS, "server", name, "name", key, "ran", all.size(), "again", again);
  }
}
