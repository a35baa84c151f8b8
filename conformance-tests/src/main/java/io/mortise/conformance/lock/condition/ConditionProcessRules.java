package io.mortise.conformance.lock.condition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.LockingProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bounded buffer that several processes share. */
public abstract class ConditionProcessRules extends LockRules {
  private static final int EACH = 60;

  private final RedisKit kit;
  private final List<Process> children = new ArrayList<>();
  @TempDir Path folder = Path.of(".");

  protected ConditionProcessRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  @AfterEach
  void endChildren() {
    children.forEach(Process::destroyForcibly);
  }

  private Process start(String mode, Path file, int first) throws IOException {
    Process child =
        LockingProcess.start(
            BufferProcess.class,
            mode,
            kit.reached(kit.server().uri()).toString(),
            kit.provider().name(),
            name,
            file.toString(),
            Integer.toString(EACH),
            Integer.toString(first));
    children.add(child);
    return child;
  }

  private static List<Long> taken(Process child) throws IOException, InterruptedException {
    try (BufferedReader out = child.inputReader()) {
      List<Long> numbers =
          out.lines().filter(line -> !line.equals(BufferProcess.WAITS)).map(Long::valueOf).toList();
      assertTrue(child.waitFor(60, TimeUnit.SECONDS), "a process did not end");
      assertEquals(0, child.exitValue(), "a process failed; see its standard error");
      return numbers;
    }
  }

  /** The test kills a process that waits. No signal goes to it. */
  @Test
  @Rule({"C2", "L7", "L10"})
  void processesShareABoundedBufferAndOneThatIsKilledTakesNothingAlong() throws Exception {
    Path file = folder.resolve("buffer");
    Files.write(file, new byte[5 * Long.BYTES]);
    Process killed = start("take", file, 0);
    try (BufferedReader out = killed.inputReader()) {
      assertEquals(BufferProcess.WAITS, out.readLine());
    }
    DistributedLock lock = lock();
    lock.lock(); // so the process has released the lock, and is in the queue
    lock.unlock();
    List<Process> consumers = List.of(start("take", file, 0), start("take", file, 0));
    killed.destroyForcibly().waitFor();
    Process producer = start("put", file, 0);
    Process another = start("put", file, EACH);

    List<Long> all = new ArrayList<>();
    for (Process consumer : consumers) {
      List<Long> numbers = taken(consumer);
      assertEquals(EACH, numbers.size());
      List<Long> ofTheFirst = numbers.stream().filter(number -> number < EACH).toList();
      assertEquals(
          ofTheFirst.stream().sorted().toList(), ofTheFirst, "in the order of the first producer");
      all.addAll(numbers);
    }
    Collections.sort(all);
    assertEquals(LongStream.range(0, 2 * EACH).boxed().toList(), all, "each number once");
    assertEquals(0, taken(producer).size() + taken(another).size());
  }
}
