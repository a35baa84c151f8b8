package io.mortise.cli;

import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Asks a server about itself, with one read-only script. */
final class StoreCheck {
  private static final Duration FAR = Duration.ofMillis(20);
  private static final Duration CLOCK_STEP = Duration.ofSeconds(1);
  private static final int TRIPS = 5;

  /** Reply: the server's time in microseconds, what INFO says, and whether SCAN is permitted. */
  private static final Script ASK =
      Script.of(
          "doctor",
          """
          local time = redis.call('TIME')
          local info = redis.pcall('INFO')
          local scan = redis.pcall('SCAN', '0', 'COUNT', '1')
          return {time[1] * 1000000 + time[2], type(info) == 'string' and info or '',
            scan.err and 'refused' or 'permitted'}
          """);

  private final LockBackend backend;
  private final String key;
  private final Duration timeout;

  /**
   * @param key is neither read nor written; the user may be permitted the keys of one prefix alone
   * @param timeout of one call
   */
  StoreCheck(LockBackend backend, String key, Duration timeout) {
    this.backend = backend;
    this.key = key;
    this.timeout = timeout;
  }

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    List<Object> reply = List.of();
    Duration shortest = Duration.ofDays(1);
    for (int i = 0; i < TRIPS; i++) {
      long start = System.nanoTime();
      reply = backend.execute(new ScriptCall(ASK, List.of(key), List.of(), timeout));
      Duration trip = Duration.ofNanos(System.nanoTime() - start);
      shortest = trip.compareTo(shortest) < 0 ? trip : shortest;
    }
    findings.add(trip(shortest));
    findings.add(clock((Long) reply.get(0)));
    findings.add(scan((String) reply.get(2)));
    Map<String, String> info = parse((String) reply.get(1));
    if (info.isEmpty()) {
      findings.add(Finding.note("server", "says nothing about itself: INFO is refused or unknown"));
    } else {
      findings.add(Finding.ok("server", name(info)));
      findings.add(role(info));
      findings.add(eviction(info));
      findings.addAll(memory(info));
      findings.add(persistence(info));
    }
    return findings;
  }

  private static Map<String, String> parse(String info) {
    Map<String, String> fields = new HashMap<>();
    info.lines()
        .map(line -> line.split(":", 2))
        .filter(pair -> pair.length == 2)
        .forEach(pair -> fields.put(pair[0], pair[1]));
    return fields;
  }

  private static Finding trip(Duration shortest) {
    String text = "a script takes %d us at best".formatted(shortest.toNanos() / 1000);
    return shortest.compareTo(FAR) > 0
        ? Finding.note("round trip", text + ", and to lock and unlock costs two")
        : Finding.ok("round trip", text);
  }

  private static Finding clock(long micros) {
    Duration ahead =
        Duration.between(
            Instant.now(), Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000));
    return ahead.abs().compareTo(CLOCK_STEP) > 0
        ? Finding.note(
            "clock",
            "the server's differs by %s; locks do not compare the two"
                .formatted(Text.time(ahead.abs())))
        : Finding.ok("clock", "the server's is as this machine's");
  }

  private static Finding scan(String answer) {
    return answer.equals("permitted")
        ? Finding.ok("scan", "permitted")
        : Finding.note("scan", "refused: list and top need the permission +scan; locks do not");
  }

  private static String name(Map<String, String> info) {
    String valkey = info.get("valkey_version");
    return valkey == null
        ? "Redis " + info.getOrDefault("redis_version", "of an unknown version")
        : "Valkey " + valkey;
  }

  private static Finding role(Map<String, String> info) {
    String replicas = info.getOrDefault("connected_slaves", "0");
    if (!info.getOrDefault("role", "master").equals("master")) {
      return Finding.problem("role", "a replica: it cannot grant locks; connect to its master");
    }
    return replicas.equals("0")
        ? Finding.note("role", "a master without replicas: no locks while it is down")
        : Finding.ok("role", "a master with %s replicas".formatted(replicas));
  }

  private static Finding eviction(Map<String, String> info) {
    String policy = info.getOrDefault("maxmemory_policy", "noeviction");
    boolean limited = !info.getOrDefault("maxmemory", "0").equals("0");
    if (policy.equals("noeviction")) {
      return Finding.ok("eviction", "noeviction: no lock is dropped");
    }
    return limited
        ? Finding.problem(
            "eviction", policy + ": a full server drops locks that are held; set noeviction")
        : Finding.note("eviction", policy + ", but maxmemory has no limit; noeviction is safer");
  }

  /** A full server that drops nothing refuses each acquisition. What was held stays held. */
  private static List<Finding> memory(Map<String, String> info) {
    long limit = number(info, "maxmemory");
    long used = number(info, "used_memory");
    return limit == 0 || used < limit
        ? List.of()
        : List.of(
            Finding.problem(
                "memory",
                "%d of %d bytes are used: a full server refuses new locks; raise maxmemory"
                    .formatted(used, limit)));
  }

  private static long number(Map<String, String> info, String field) {
    String text = info.getOrDefault(field, "");
    return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
  }

  private static Finding persistence(Map<String, String> info) {
    boolean log = info.getOrDefault("aof_enabled", "0").equals("1");
    return log
        ? Finding.ok(
            "persistence", "append-only file: locks survive a restart, but for the last second")
        : Finding.note("persistence", "no append-only file: a restart forgets who holds what");
  }
}
