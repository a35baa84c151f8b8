package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.internal.wire.ServerWork.Way;
import io.mortise.spi.LockBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The page {@code docs/server-work.md} has the commands inside each script in each of its ways. The
 * store in memory and a Redis run the same ones. The microseconds of the page are not tested. This
 * class measures them, with {@code -Dmortise.server-work=measure}, and then writes the table to
 * {@code target/server-work.md}.
 */
@Rule("L19")
class ServerWorkTest {
  private static final Path PAGE = Path.of("../docs/server-work.md");
  private static final Path WRITTEN = Path.of("target/server-work.md");
  private static final int TIMES = 300;

  private static final String FREE = "acquire: free";
  private static final String LEAVE = "leave: holds, nobody waits";
  private static final String FENCED = "acquire: fenced, free";
  private static final String WRITE = "rw-acquire: a writer, free";
  private static final String WROTE = "rw-leave: a writer, nobody waits";
  private static final String READ = "rw-acquire: a reader, free";
  private static final String HAS_READ = "rw-leave: a reader, nobody waits";
  private static final String TAKE = "sem-acquire: free";
  private static final String GIVE = "sem-leave: nobody waits";
  private static final String SET = "latch-count: set";
  private static final String COUNT = "latch-count: down";
  private static final String PASS = "latch-acquire: open";

  @Test
  void thePageHasTheCommandsOfEachScript() throws IOException {
    List<String> found = inMemory();
    List<String> listed =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.substring(0, line.lastIndexOf('|', line.length() - 2) + 1))
            .toList();
    assertEquals(String.join("\n", found), String.join("\n", listed));
  }

  /** What one hand-over costs: two services lock and unlock once each, and one waits. */
  @Test
  void thePageHasTheSumsOfHandOvers() throws IOException {
    Map<String, Long> sums = sums();
    List<String> found = new ArrayList<>();
    ServerWork.handOvers()
        .forEach((what, ways) -> {
          List<Long> each = ways.stream().map(way -> known(sums, way)).toList();
          long sum = each.stream().mapToLong(Long::longValue).sum();
          String parts = each.stream().map(String::valueOf).collect(Collectors.joining(" + "));
          found.add("| %s | %s | %d |".formatted(what, parts, sum + each.size()));
        });
    List<String> page = Files.readAllLines(PAGE);
    assertEquals(
        String.join("\n", found),
        page.stream().filter(found::contains).collect(Collectors.joining("\n")),
        () -> String.join("\n", found));
  }

  private static Map<String, Long> sums() {
    return inMemory().stream()
        .map(row -> row.split(" \\| ", -1))
        .collect(
            Collectors.toMap(
                cells -> cells[0].substring(3).replace("`", "") + ": " + cells[1],
                cells -> Long.valueOf(cells[2])));
  }

  /** A row of another page, and the ways whose commands it counts. */
  private record Cost(String page, String row, String... ways) {}

  private static final List<Cost> COSTS =
      List.of(
          new Cost("choosing-a-lock.md", "| plain | 1 (%d) | 1 (%d) |", FREE, LEAVE),
          new Cost("choosing-a-lock.md", "| fair | 1 (%d) | 1 (%d) |", FREE, LEAVE),
          new Cost("choosing-a-lock.md", "| fenced | 1 (%d) | 1 (%d) |", FENCED, LEAVE),
          new Cost("choosing-a-lock.md", "| write | 1 (%d) | 1 (%d) |", WRITE, WROTE),
          new Cost("choosing-a-lock.md", "| read | 1 (%d) | 1 (%d) |", READ, HAS_READ),
          new Cost("choosing-a-lock.md", "permits | 1 (%d) | 1 (%d) |", TAKE, GIVE),
          new Cost("choosing-a-lock.md", "| 1 (%d) to set, 1 (%d) to pass |", SET, PASS),
          new Cost("choosing-a-lock.md", "| 1 (%d) to count |", COUNT),
          new Cost("locks/read-write.md", "| lock to write, without contention | 1 | %d |", WRITE),
          new Cost("locks/read-write.md", "| unlock after writing | 1 | %d |", WROTE),
          new Cost("locks/read-write.md", "| lock to read, without contention | 1 | %d |", READ),
          new Cost("locks/read-write.md", "| unlock after reading | 1 | %d |", HAS_READ),
          new Cost(
              "locks/read-write.md", "also reads | 1 | %d |", "rw-acquire: a writer also reads"),
          new Cost(
              "locks/read-write.md", "writes | 1 | %d |", "rw-acquire: the only reader writes"),
          new Cost("locks/semaphore.md", "without contention | 1 | %d |", TAKE),
          new Cost("locks/semaphore.md", "| give them back | 1 | %d |", GIVE),
          new Cost("locks/semaphore.md", "of them | 1 | %d |", "sem-return: one of three permits"),
          new Cost("locks/count-down-latch.md", "| set | 1 | %d |", SET),
          new Cost("locks/count-down-latch.md", "| count down | 1 | %d, to zero", COUNT),
          new Cost("locks/count-down-latch.md", "| pass an open latch | 1 | %d |", PASS));

  @Test
  void thePagesOfTheKindsHaveTheSameNumbers() throws IOException {
    Map<String, Long> sums = sums();
    List<String> missing = new ArrayList<>();
    for (Cost cost : COSTS) {
      Object[] numbers = Arrays.stream(cost.ways()).map(way -> known(sums, way)).toArray();
      String row = cost.row().formatted(numbers);
      if (!Files.readString(PAGE.resolveSibling(cost.page())).contains(row)) {
        missing.add(cost.page() + ": " + row);
      }
    }
    assertEquals(List.of(), missing);
  }

  private static long known(Map<String, Long> sums, String way) {
    Long sum = sums.get(way);
    assertTrue(sum != null, way);
    return sum == null ? 0 : sum;
  }

  @Test
  void aRedisRunsTheSameCommands() throws IOException {
    boolean measures = "measure".equals(System.getProperty("mortise.server-work"));
    List<String> rows = new ArrayList<>();
    try (RedisServer redis = RedisServer.start();
        StageOnRedis server = new StageOnRedis(redis)) {
      int number = 0;
      for (Way way : ServerWork.ways()) {
        rows.add(row(way, way.play(new ScriptStage(server, "orders:" + number++))));
      }
      if (measures) {
        server.hurry();
        number = 0;
        for (Way way : ServerWork.ways()) {
          rows.set(number, rows.get(number) + micros(way, server));
          number++;
        }
      }
    }
    if (measures) {
      Files.write(WRITTEN, rows);
    } else {
      assertEquals(String.join("\n", inMemory()), String.join("\n", rows));
    }
  }

  /** The lower quartile: the machine does something else in some runs. */
  private static String micros(Way way, StageOnRedis server) {
    List<Long> took = new ArrayList<>();
    for (int i = 0; i < TIMES; i++) {
      ScriptStage unused = way.play(new ScriptStage(server, "timed:" + way + i));
      took.add(server.micros());
    }
    return " %d |".formatted(took.stream().sorted().skip(TIMES / 4).findFirst().orElse(0L));
  }

  private static List<String> inMemory() {
    InMemoryStore store = InMemoryStore.withMovableTime();
    List<String> rows = new ArrayList<>();
    try (LockBackend backend = store.backend()) {
      StageInMemory server = new StageInMemory(store, backend);
      int number = 0;
      for (Way way : ServerWork.ways()) {
        rows.add(row(way, way.play(new ScriptStage(server, "orders:" + number++))));
      }
    }
    return rows;
  }

  private static String row(Way way, ScriptStage stage) {
    assertTrue(
        way.script().startsWith(stage.last().script().name()),
        () -> way + " ends with " + stage.last().script());
    long sum = stage.cost().values().stream().mapToLong(Long::longValue).sum();
    String commands =
        stage.cost().entrySet().stream()
            .map(each -> each.getKey() + (each.getValue() > 1 ? " ×" + each.getValue() : ""))
            .collect(Collectors.joining(", "));
    return "| `%s` | %s | %d | %s |".formatted(way.script(), way.text(), sum, commands);
  }
}
