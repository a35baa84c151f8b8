package io.mortise.conformance.lock.granting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.QueueingProcess;
import io.mortise.conformance.lock.fixture.RemoteLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The order of arrivals and of holds, over several processes that always want the lock. */
public abstract class FairHistoryRules extends LockRules {
  private static final int PROCESSES = 3;
  private static final int THREADS = 3;
  private static final int ROUNDS = 25;

  private final RedisKit kit;

  protected FairHistoryRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  /** Each of the two lists has every ticket once. */
  private record History(List<Object> arrived, List<Object> inside) {
    /** For each hold, how many earlier holds had arrived later. */
    List<Integer> overtakings() {
      Map<Object, Integer> places = new HashMap<>();
      arrived.forEach(ticket -> places.put(ticket, places.size()));
      List<Integer> all = new ArrayList<>();
      for (int i = 0; i < inside.size(); i++) {
        int place = places.getOrDefault(inside.get(i), -1);
        long later =
            inside.subList(0, i).stream()
                .filter(earlier -> places.getOrDefault(earlier, -1) > place)
                .count();
        all.add((int) later);
      }
      return all;
    }

    /** How often the lock went from one process to another. */
    long moves() {
      long moves = 0;
      for (int i = 1; i < inside.size(); i++) {
        moves += process(inside.get(i)).equals(process(inside.get(i - 1))) ? 0 : 1;
      }
      return moves;
    }

    private static String process(Object ticket) {
      return ticket.toString().split("/", -1)[0];
    }
  }

  private History history(String kind, Figures figures) {
    Queue<RemoteLock> processes = new ConcurrentLinkedQueue<>();
    try {
      IntStream.range(0, PROCESSES).parallel().forEach(number -> processes.add(start()));
      processes.forEach(each -> each.tell(kind + ' ' + THREADS + ' ' + ROUNDS));
      processes.forEach(each -> assertEquals("done", each.answer()));
    } finally {
      processes.forEach(RemoteLock::close);
    }
    History history = new History(list(QueueingProcess.ARRIVED), list(QueueingProcess.INSIDE));
    assertEquals(PROCESSES * THREADS * ROUNDS, history.inside().size());
    assertEquals(new HashSet<>(history.arrived()), new HashSet<>(history.inside()));
    publish(kind, history, figures);
    return history;
  }

  private RemoteLock start() {
    return RemoteLock.start(
        QueueingProcess.class, kit, name, Duration.ofSeconds(30), RemoteLock.PLAIN);
  }

  private List<Object> list(String which) {
    return runOn(name + which, "return redis.call('LRANGE', KEYS[1], 0, -1)");
  }

  private static void publish(String kind, History history, Figures figures) {
    List<Integer> overtakings = history.overtakings();
    figures.add(
        kind + " lock, " + PROCESSES + " processes of " + THREADS + " threads",
        "%d holds, %d of them overtaken, at most by %d, %d changes of process"
            .formatted(
                history.inside().size(),
                overtakings.stream().filter(each -> each > 0).count(),
                overtakings.stream().mapToInt(Integer::intValue).max().orElse(0),
                history.moves()));
  }

  @Test
  @Rule("L11")
  void processesEnterInTheOrderInWhichTheServerSawThemArrive(Figures figures) {
    History history = history("fair", figures);
    assertEquals(history.arrived(), history.inside());
    assertTrue(history.moves() > 2 * PROCESSES, "changes of process: " + history.moves());
  }

  /** The same with the plain lock. Threads of one process hand it off, so the order differs. */
  @Test
  @Rule("L11")
  void withTheUnfairLockTheyDoNot(Figures figures) {
    History history = history("unfair", figures);
    assertNotEquals(history.arrived(), history.inside());
  }
}
