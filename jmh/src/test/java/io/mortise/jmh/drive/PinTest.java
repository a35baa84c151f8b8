package io.mortise.jmh.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.jmh.drive.Pin.Processors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Processes run where a pin puts them, with all their threads and children, until it ends. */
class PinTest {
  private Process server;

  @BeforeEach
  void start() throws IOException {
    server = new ProcessBuilder("sleep", "60").start();
  }

  @AfterEach
  void end() {
    server.destroyForcibly();
  }

  @Test
  void allThreadsOfAllProcessesAndTheirChildrenAreOnOneProcessorUntilItEnds() throws Exception {
    Pin pin = Pin.of(server.pid(), ProcessHandle.current().pid());
    assumeTrue(pin.isPossible(), "no taskset");
    Set<String> before = processors(server.pid());
    pin.run(
        Processors.ONE,
        () -> {
          String own = onlyOne(ProcessHandle.current().pid());
          assertEquals(own, onlyOne(server.pid()));
          Process child = new ProcessBuilder("sleep", "60").start();
          assertEquals(own, onlyOne(child.pid()));
          child.destroyForcibly();
        });
    assertEquals(before, processors(server.pid()));
    assertEquals(before, processors(ProcessHandle.current().pid()));
  }

  @Test
  void aServerApartHasAProcessorThatNoOtherHas() throws Exception {
    Pin pin = Pin.of(server.pid(), ProcessHandle.current().pid());
    assumeTrue(pin.isPossible(), "no taskset");
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one processor");
    Set<String> before = processors(server.pid());
    pin.run(
        Processors.APART,
        () -> {
          String alone = onlyOne(server.pid());
          Set<String> others = processors(ProcessHandle.current().pid());
          assertEquals(1, others.size(), others::toString);
          assertFalse(others.iterator().next().matches(".*\\b" + alone), others::toString);
        });
    assertEquals(before, processors(server.pid()));
    assertEquals(before, processors(ProcessHandle.current().pid()));
  }

  @Test
  void withoutAnAnswerItRunsTheTaskAnywhere() throws Exception {
    server.destroyForcibly().waitFor();
    Pin pin = Pin.of(Long.MAX_VALUE);
    assertFalse(pin.isPossible());
    AtomicBoolean ran = new AtomicBoolean();
    pin.run(Processors.APART, () -> ran.set(true));
    assertTrue(ran.get());
  }

  /** The number of the one processor on which all threads of a process may run. */
  private static String onlyOne(long process) throws IOException {
    Set<String> lists = processors(process);
    assertEquals(1, lists.size(), lists::toString);
    String number = lists.iterator().next().replaceFirst(".*:\\s*", "");
    assertTrue(number.matches("\\d+"), number);
    return number;
  }

  /** The processors on which the threads of a process may run, as Linux reports them. */
  private static Set<String> processors(long process) throws IOException {
    Set<String> lists = new HashSet<>();
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process + "/task"))) {
      for (Path thread : threads.toList()) {
        status(thread).stream()
            .filter(line -> line.startsWith("Cpus_allowed_list:"))
            .forEach(lists::add);
      }
    }
    return lists;
  }

  private static List<String> status(Path thread) {
    try {
      return Files.readAllLines(thread.resolve("status"));
    } catch (IOException e) {
      return List.of(); // the thread has ended
    }
  }
}
