package io.mortise.junit;

import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Reads holders and waiters from the keys of a store; docs/wire-format.md describes them. It is a
 * client of its own, so that it works while the links of the processes are broken.
 */
final class StoreView implements AutoCloseable {
  private static final String PREFIX = "mortise:";

  /** The beginning of each key with holders, and what they hold. */
  private static final Map<String, String> HOLDERS =
      Map.of(
          "lock:", "lock",
          "rw:lock:", "write lock",
          "rw:readers:", "read lock",
          "sem:permits:", "semaphore");

  private static final List<String> QUEUES =
      List.of("queue:", "rw:queue:", "sem:queue:", "latch:queue:");

  /** The ids in a hash, or those of a sorted set with at least this score. Changes nothing. */
  private static final Script IDS =
      Script.of(
          "junit-ids",
          """
          local kind = redis.call('TYPE', KEYS[1]).ok
          if kind == 'hash' then
            return redis.call('HKEYS', KEYS[1])
          end
          if kind == 'zset' then
            local least = 0
            if ARGV[1] == 'now' then
              local time = redis.call('TIME')
              least = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
            end
            return redis.call('ZRANGEBYSCORE', KEYS[1], least, '+inf')
          end
          return {}
          """);

  private final InMemoryStore store;
  private final LockBackend client;

  StoreView(InMemoryStore store) {
    this.store = store;
    client = store.backend();
  }

  /**
   * All holds whose lease has not ended, and grants that are not confirmed yet. What is left of a
   * hold that was given up with a time to keep is one too.
   */
  List<StoreHold> holds() {
    return holds(id -> true);
  }

  /** As {@link #holds}, without what is left of holds that were given up. */
  List<StoreHold> holdsWithoutRests() {
    return holds(id -> !isRest(id));
  }

  private List<StoreHold> holds(Predicate<String> wanted) {
    List<StoreHold> holds = new ArrayList<>();
    for (String key : store.keys()) {
      HOLDERS.forEach((beginning, kind) -> {
        if (key.startsWith(PREFIX + beginning)) {
          String name = name(key.substring(PREFIX.length() + beginning.length()));
          ids(key, "now").stream()
              .filter(wanted)
              .map(id -> hold(kind, name, id))
              .forEach(holds::add);
        }
      });
    }
    return holds;
  }

  /** The threads that wait in the queue of a lock, a semaphore or a latch of that name. */
  List<Long> waitingThreads(String name) {
    String slot = name.indexOf('{') < 0 ? '{' + name + '}' : name;
    return QUEUES.stream()
        .flatMap(queue -> ids(PREFIX + queue + slot, "all").stream())
        .map(StoreView::threadId)
        .toList();
  }

  /**
   * The ids without the other members of a semaphore, which begin with an exclamation mark or a
   * dash.
   */
  private List<String> ids(String key, String which) {
    return client
        .execute(new ScriptCall(IDS, List.of(key), List.of(which), Duration.ofSeconds(2)))
        .stream()
        .map(String::valueOf)
        .filter(id -> !id.startsWith("!") && !id.startsWith("-"))
        .toList();
  }

  private static StoreHold hold(String kind, String name, String id) {
    return new StoreHold(kind, name, id.substring(0, id.indexOf(':')), threadId(id));
  }

  /** Whether the part after the thread is {@code e}. */
  private static boolean isRest(String id) {
    String[] parts = id.split(":", -1);
    return parts.length > 3 && parts[3].equals("e");
  }

  /** The third part of {@code client:sequence:thread}. */
  private static long threadId(String id) {
    return Long.parseLong(id.split(":", -1)[2]);
  }

  /** The name whose keys have this slot text. Braces around all of it were added. */
  private static String name(String slot) {
    boolean added = slot.startsWith("{") && slot.indexOf('}') == slot.length() - 1;
    return added ? slot.substring(1, slot.length() - 1) : slot;
  }

  @Override
  public void close() {
    client.close();
  }
}
