package io.mortise.conformance.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.conformance.Figures;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What operations cost, as the server counts commands. */
final class Costs {
  private static final String SCRIPT = "evalsha";

  private final RedisKit kit;

  Costs(RedisKit kit) {
    this.kit = kit;
  }

  void reset() {
    kit.server().resetCounts();
  }

  /** Commands since the last reset, but for those that keep connections alive. */
  Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>(kit.server().commandCounts());
    counts.keySet().removeAll(Set.of("ping", "keys"));
    return counts;
  }

  long count(String command) {
    return counts().getOrDefault(command, 0L);
  }

  /** The operation is one script with these commands inside. */
  void assertOneScript(Figures figures, String what, Map<String, Long> inside, Runnable operation) {
    Map<String, Long> ran = inside(operation);
    assertEquals(new TreeMap<>(inside), ran, what);
    figures.add(what, "1 command of " + sum(ran));
  }

  /** The operation is one script with so many commands inside. */
  void assertOneScript(Figures figures, String what, long inside, Runnable operation) {
    Map<String, Long> ran = inside(operation);
    assertEquals(inside, sum(ran), () -> what + ' ' + ran);
    figures.add(what, "1 command of " + inside);
  }

  private Map<String, Long> inside(Runnable operation) {
    reset();
    operation.run();
    Map<String, Long> counts = counts();
    assertEquals(1L, counts.remove(SCRIPT), counts::toString);
    return counts;
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }
}
