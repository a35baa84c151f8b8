package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

/**
 * The activity of a service that is not used: how often its threads wake up in a second, by Linux's
 * count of voluntary context switches. It also counts the service's threads and connections.
 *
 * @param contestants the contestants to measure
 */
public record IdleQuestion(List<Contestant> contestants) implements Question {
  private static final Path TASKS = Path.of("/proc/self/task");

  /** The time after the last use, in which a contestant may still check its connections. */
  private static final long UNTIL_IDLE = 20_000;

  private static final String SWITCHES = "voluntary_ctxt_switches:";

  @Override
  public String id() {
    return "Idle";
  }

  @Override
  public List<Cell> cells() {
    return Cell.each(contestants);
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    long millis = effort.quick() ? 3_000 : 5_000;
    Map<String, Long> others = wakeUps();
    try (ServerFigures figures = new ServerFigures(effort.server());
        Site site = cell.contestant().open(effort.server())) {
      use(site.lock("idle"));
      Thread.sleep(UNTIL_IDLE);
      Map<String, Long> before = wakeUps();
      Thread.sleep(millis);
      Map<String, Long> after = wakeUps();
      after.keySet().retainAll(before.keySet());
      after.keySet().removeAll(others.keySet());
      long count =
          after.entrySet().stream()
              .mapToLong(each -> each.getValue() - before.getOrDefault(each.getKey(), 0L))
              .sum();
      double connections = figures.connections();
      double threads = after.size();
      JmhFile.write(
          file,
          id(),
          cell,
          count * 1e3 / millis,
          Map.of("connections", connections, "threads", threads));
    }
  }

  private static void use(Lock lock) {
    for (int i = 0; i < 100; i++) {
      lock.lock();
      lock.unlock();
    }
  }

  /** Wake-ups by thread, without the JVM's compilers, whose threads come and go. */
  private static Map<String, Long> wakeUps() throws IOException {
    Map<String, Long> counts = new HashMap<>();
    try (Stream<Path> tasks = Files.list(TASKS)) {
      for (Path task : tasks.toList()) {
        List<String> status = status(task);
        if (status.stream().noneMatch(line -> line.matches("Name:\\s+C[12] Comp.*"))) {
          status.stream()
              .filter(line -> line.startsWith(SWITCHES))
              .map(line -> Long.valueOf(line.substring(SWITCHES.length()).strip()))
              .forEach(count -> counts.put(task.toString(), count));
        }
      }
    }
    return counts;
  }

  private static List<String> status(Path task) {
    try {
      return Files.readAllLines(task.resolve("status"));
    } catch (IOException e) {
      return List.of(); // the thread has ended
    }
  }
}
