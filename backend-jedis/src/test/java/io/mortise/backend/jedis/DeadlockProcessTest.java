package io.mortise.backend.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.lock.fixture.LockingProcess;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Deadlocks of threads in three processes, on a Redis. {@code -Dmortise.deadlocks.seconds=40} takes
 * locks for longer.
 */
@Tag("all")
class DeadlockProcessTest {
  private static final int PROCESSES = 3;
  private static final int SECONDS = Integer.getInteger("mortise.deadlocks.seconds", 1);

  /** For so long no worker at all goes on: ten seconds, and what a busy machine adds (ms). */
  private static final long LONGEST_STAND = 30_000;

  private final RedisServer server = RedisServer.start();
  private final List<Process> children = new ArrayList<>();

  @AfterEach
  void close() {
    children.forEach(Process::destroyForcibly);
    server.close();
  }

  /** All that a child says. It is read at once, so no child waits until the test reads. */
  private static final class Output {
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final Thread reader;

    Output(Process child) {
      reader = new Thread(() -> child.inputReader().lines().forEach(lines::add), "output");
      reader.setDaemon(true);
      reader.start();
    }

    void await(String line) {
      Await.until(() -> line + " in " + lines, Duration.ofSeconds(60), () -> lines.contains(line));
    }

    /** To its end. */
    List<String> lines() throws InterruptedException {
      reader.join(60_000);
      assertFalse(reader.isAlive(), "the output has no end");
      return lines;
    }
  }

  private Output start(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(server.uri().toString()));
    all.addAll(Arrays.asList(arguments));
    Process child = LockingProcess.start(DeadlockProcess.class, all.toArray(String[]::new));
    children.add(child);
    return new Output(child);
  }

  private void join() throws InterruptedException {
    for (Process child : children) {
      assertTrue(child.waitFor(120, TimeUnit.SECONDS), "a process stands still");
      assertEquals(0, child.exitValue(), "a process failed; see its standard error");
    }
  }

  @Test
  @DisplayName("L30: a planted deadlock of three processes is logged by one of them, and broken")
  void aPlantedDeadlockIsLoggedAndBroken() throws Exception {
    List<Output> outs = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      outs.add(start("planted", "n" + i, "n" + (i + 1) % PROCESSES));
      outs.get(i).await(DeadlockProcess.HELD);
    }
    for (Process child : children) {
      child.outputWriter().write("\n");
      child.outputWriter().flush();
    }
    join();

    List<String> lines = new ArrayList<>();
    for (Output out : outs) {
      lines.addAll(out.lines());
    }
    String text = String.join("\n", lines);
    assertEquals(1, count(lines, "deadlock of 3 threads"), text);
    for (int i = 0; i < PROCESSES; i++) {
      String party =
          "pid %d, thread holder of n%d holds lock 'n%d' and waits for lock 'n%d' since "
              .formatted(children.get(i).pid(), i, i, (i + 1) % PROCESSES);
      assertEquals(1, count(lines, party), text);
    }
    assertEquals(3, count(lines, ", at io.mortise.backend.jedis.DeadlockProcess.planted("), text);
    assertEquals(1, lines.stream().filter(DeadlockProcess.BROKEN::equals).count(), text);
    assertEquals(2, lines.stream().filter(DeadlockProcess.GOT::equals).count(), text);
  }

  private static long count(List<String> lines, String part) {
    return lines.stream().filter(line -> line.contains(part)).count();
  }

  private static boolean isKnown(String[] words) {
    return words.length == 2
        && List.of(DeadlockProcess.GOT, DeadlockProcess.DONE, DeadlockProcess.BROKEN)
            .contains(words[0]);
  }

  private static long times(List<String[]> went, String what) {
    return went.stream().filter(each -> each[0].equals(what)).count();
  }

  @Test
  @DisplayName("L30: workers that take four names in any order do not stand still")
  void workersThatTakeNamesInAnyOrderDoNotStandStill() throws Exception {
    List<Output> outs = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      outs.add(start("random", Integer.toString(i), Integer.toString(SECONDS)));
    }
    join();
    List<String[]> went = new ArrayList<>();
    for (Output out : outs) {
      out.lines().stream()
          .map(line -> line.split(" ", 0))
          .filter(DeadlockProcessTest::isKnown)
          .forEach(went::add);
    }

    long[] times = went.stream().mapToLong(each -> Long.parseLong(each[1])).sorted().toArray();
    long longest = 0;
    for (int i = 1; i < times.length; i++) {
      longest = Math.max(longest, times[i] - times[i - 1]);
    }
    String seen =
        "%d rounds, %d broken, longest stand %d ms"
            .formatted(
                times(went, DeadlockProcess.DONE), times(went, DeadlockProcess.BROKEN), longest);
    System.out.println(seen);
    assertTrue(longest < LONGEST_STAND, seen);
    assertTrue(times(went, DeadlockProcess.DONE) > 0, seen);
  }
}
