package io.mortise.conformance.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** When threads were inside which lock, by the clock of this JVM alone. Thread-safe. */
final class Stays {
  /** One stay: after the acquisition until before the release (ns). */
  private record Stay(long from, long to) {}

  private final Map<String, Queue<Stay>> byName = new ConcurrentHashMap<>();
  private final AtomicLong longestWait = new AtomicLong();

  void add(String name, long askedAt, long from, long to) {
    byName.computeIfAbsent(name, any -> new ConcurrentLinkedQueue<>()).add(new Stay(from, to));
    longestWait.accumulateAndGet(from - askedAt, Math::max);
  }

  int count() {
    return byName.values().stream().mapToInt(Queue::size).sum();
  }

  long longestWaitMillis() {
    return longestWait.get() / 1_000_000;
  }

  /** The pairs of stays in one lock that overlap, as text. */
  List<String> overlaps() {
    List<String> found = new ArrayList<>();
    byName.forEach((name, all) -> {
      List<Stay> stays = all.stream().sorted(Comparator.comparingLong(Stay::from)).toList();
      for (int i = 1; i < stays.size(); i++) {
        if (stays.get(i).from() < stays.get(i - 1).to()) {
          found.add(name + ": " + stays.get(i - 1) + " and " + stays.get(i));
        }
      }
    });
    return found;
  }
}
