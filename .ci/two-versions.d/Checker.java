import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Judges the logs of a folder, and knows nothing else. All times are of {@code System.nanoTime()},
 * which on Linux is one clock for all processes. Each line begins with a time:
 *
 * <pre>
 * process NAME VERSION
 * ask ID LOCK UNITS CAPACITY   before it asks; all holds of a lock fit into its capacity
 * got ID UNTIL TOKEN           after it learned of its hold; promised until then; 0 is none
 * good ID                      before the last question that said that it still holds
 * timeout ID                   instead of "got"
 * failed ID ERROR              instead of "got" or "good"
 * killed NAME, end NAME
 * start, cause, effect ROUND   one step that needs a message
 * free ROUND                   the lock was free before, so it needs none
 * </pre>
 *
 * A hold certainly lasts from "got" to "good". Without "good", it lasts as long as was promised.
 */
public final class Checker {
  private static final long SECOND = 1_000_000_000L;

  /** Waiters ask every 2 s, 10 % more or less. Before that only a message can tell them. */
  private static final long BEFORE_THE_NEXT_LOOK = 1_700_000_000L;

  private final Map<String, Hold> holds = new HashMap<>();
  private final Map<String, Map<String, Long>> rounds = new TreeMap<>();
  private final Map<String, String> versions = new TreeMap<>();
  private final Map<String, Integer> events = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();

  private static final class Hold {
    String version;
    String lock;
    String id;
    int units;
    int capacity;
    long asked;
    long begin;
    long promised;
    long good;
    long token;

    long end() {
      return Math.max(begin + 1, good > 0 ? good : promised);
    }
  }

  public static void main(String[] args) throws IOException {
    Checker checker = new Checker();
    try (Stream<Path> logs = Files.list(Path.of(args[0]))) {
      for (Path log : logs.filter(path -> path.toString().endsWith(".log")).sorted().toList()) {
        for (String line : Files.readAllLines(log)) {
          checker.read(line.split(" "));
        }
      }
    }
    checker.judgeHolds();
    checker.judgeRounds();
    System.out.println("events: " + checker.events);
    checker.violations.forEach(violation -> System.out.println("VIOLATION: " + violation));
    System.out.println(
        checker.violations.isEmpty() ? "no violation" : checker.violations.size() + " violations");
    System.exit(checker.violations.isEmpty() ? 0 : 1);
  }

  private void read(String[] line) {
    long time = Long.parseLong(line[0]);
    String id = line[2];
    Hold hold = holds.get(id);
    switch (line[1]) {
      case "process" -> versions.put(id, line[3]);
      case "ask" -> {
        Hold asked = new Hold();
        asked.id = id;
        asked.version = versions.get(id.substring(0, id.lastIndexOf('-')));
        asked.lock = line[3];
        asked.units = Integer.parseInt(line[4]);
        asked.capacity = Integer.parseInt(line[5]);
        asked.asked = time;
        holds.put(id, asked);
      }
      case "got" -> {
        hold.begin = time;
        hold.promised = Long.parseLong(line[3]);
        hold.token = Long.parseLong(line[4]);
      }
      case "good" -> hold.good = time;
      case "start", "cause", "effect", "free" ->
          rounds.computeIfAbsent(id, round -> new HashMap<>()).put(line[1], time);
      case "failed" -> count("failed with " + line[3]);
      default -> count(line[1]); // end, killed, timeout
    }
  }

  private void count(String event) {
    events.merge(event, 1, Integer::sum);
  }

  private void judgeHolds() {
    Map<String, List<Hold>> locks = new TreeMap<>();
    for (Hold hold : holds.values()) {
      if (hold.begin > 0) {
        locks.computeIfAbsent(hold.lock, lock -> new ArrayList<>()).add(hold);
      }
    }
    System.out.printf("%-8s %7s %9s %9s%n", "lock", "holds", "changes", "overlaps");
    int total = 0;
    for (Map.Entry<String, List<Hold>> lock : locks.entrySet()) {
      List<Hold> inOrder = lock.getValue();
      inOrder.sort(Comparator.comparingLong(hold -> hold.begin));
      List<String> overlaps = overlaps(inOrder);
      int changes = changes(inOrder);
      System.out.printf(
          "%-8s %7d %9d %9d%n", lock.getKey(), inOrder.size(), changes, overlaps.size());
      if (lock.getKey().equals("control")) {
        if (overlaps.isEmpty()) {
          violations.add("two versions with different keys did not meet, so nothing is shown");
        }
        continue;
      }
      total += inOrder.size();
      violations.addAll(overlaps);
      violations.addAll(falls(inOrder));
      if (changes == 0) {
        violations.add(lock.getKey() + " never changed from a version to the other");
      }
    }
    System.out.printf("%d holds of %d processes, control not counted%n", total, versions.size());
  }

  /** How often a hold was followed by one of the other version. */
  private static int changes(List<Hold> holds) {
    int changes = 0;
    for (int i = 1; i < holds.size(); i++) {
      if (!holds.get(i).version.equals(holds.get(i - 1).version)) {
        changes++;
      }
    }
    return changes;
  }

  private static List<String> overlaps(List<Hold> holds) {
    List<String> found = new ArrayList<>();
    List<Hold> present = new ArrayList<>();
    for (Hold hold : holds) {
      present.removeIf(other -> other.end() <= hold.begin);
      int units = hold.units + present.stream().mapToInt(other -> other.units).sum();
      present.add(hold);
      if (units > hold.capacity) {
        StringBuilder text = new StringBuilder(hold.lock + " was given to");
        for (Hold other : present) {
          text.append(" %s of %s for %d,".formatted(other.id, other.version, other.units));
        }
        found.add(text + " at once");
      }
    }
    return found;
  }

  /** A hold that was there before another one was asked for has the smaller token. */
  private static List<String> falls(List<Hold> holds) {
    List<String> found = new ArrayList<>();
    for (Hold late : holds) {
      for (Hold early : holds) {
        if (early.begin < late.asked && early.token >= late.token && late.token > 0) {
          found.add(
              "token %d of %s (%s) is not above %d of %s (%s)"
                  .formatted(
                      late.token, late.id, late.version, early.token, early.id, early.version));
        }
      }
    }
    return found;
  }

  /**
   * A round is ROUTE-NUMBER, and a route WAY-FROM-TO. The effect comes by message if it comes
   * before the one that waits for it would look by itself. A slow machine may make a round too slow
   * to tell. A route without messages has none at all in time, so half of its rounds are enough.
   */
  private void judgeRounds() {
    Map<String, int[]> routes = new TreeMap<>();
    for (Map.Entry<String, Map<String, Long>> round : rounds.entrySet()) {
      String route = round.getKey().substring(0, round.getKey().lastIndexOf('-'));
      int[] counts = routes.computeIfAbsent(route, any -> new int[2]);
      Map<String, Long> times = round.getValue();
      Long start = times.get("start");
      Long cause = times.get("cause");
      Long effect = times.get("effect");
      if (start == null || cause == null || cause - start > SECOND || times.containsKey("free")) {
        count("rounds too slow to tell");
        continue;
      }
      counts[0]++;
      if (effect != null && effect > cause && effect - start < BEFORE_THE_NEXT_LOOK) {
        counts[1]++;
      }
    }
    int expected = 0;
    int came = 0;
    System.out.printf("%n%-20s %15s%n", "messages", "came, of those");
    for (Map.Entry<String, int[]> route : routes.entrySet()) {
      int[] counts = route.getValue();
      expected += counts[0];
      came += counts[1];
      System.out.printf("%-20s %8d of %3d%n", route.getKey(), counts[1], counts[0]);
      if (counts[1] * 2 < counts[0] || counts[0] == 0) {
        violations.add(
            "%d of %d messages came by %s".formatted(counts[1], counts[0], route.getKey()));
      }
    }
    System.out.printf("%d of %d messages to the other version came%n%n", came, expected);
  }
}
