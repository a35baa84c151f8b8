package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.LockingProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks between processes, of which the test kills one. */
public abstract class ProcessRules extends LockRules {
  private static final int PROCESSES = 3;
  private static final int THREADS = 2;
  private static final int ROUNDS = 150;

  private final RedisKit kit;
  private final List<Process> children = new ArrayList<>();
  @TempDir Path folder = Path.of(".");

  protected ProcessRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  @AfterEach
  void endChildren() {
    children.forEach(Process::destroyForcibly);
  }

  private Process start(String mode, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(mode, kit.reached(kit.server().uri()).toString(), kit.provider().name(), name));
    arguments.addAll(List.of(more));
    Process child = LockingProcess.start(arguments.toArray(String[]::new));
    children.add(child);
    return child;
  }

  /** The sum that the processes have counted in a file. */
  private long count(String mode) throws IOException, InterruptedException {
    Path file = folder.resolve(mode);
    Files.write(file, new byte[Long.BYTES]);
    List<Process> counting = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      counting.add(
          start(mode, file.toString(), Integer.toString(THREADS), Integer.toString(ROUNDS)));
    }
    for (Process child : counting) {
      assertTrue(child.waitFor(120, TimeUnit.SECONDS), "a process did not end");
      assertEquals(0, child.exitValue(), "a process failed; see its standard error");
    }
    return ByteBuffer.wrap(Files.readAllBytes(file)).getLong();
  }

  @Test
  @Rule("L1")
  void processesExcludeEachOther() throws Exception {
    assertEquals(PROCESSES * THREADS * ROUNDS, count("count"));
  }

  @Test
  @Rule("L1")
  void processesWithoutTheLockLoseUpdates() throws Exception {
    assertTrue(count("count-unguarded") < PROCESSES * THREADS * ROUNDS, "no update was lost");
  }

  @Test
  @Rule("L7")
  void aKilledProcessFreesItsLockWithinItsLease() throws Exception {
    DistributedLock mine = lock();
    Process child = start("hold", "3000");
    try (BufferedReader out = child.inputReader()) {
      assertEquals(LockingProcess.LOCKED, out.readLine());
      assertFalse(mine.tryLock());

      child.destroyForcibly().waitFor();

      assertTrue(mine.tryLock(15, TimeUnit.SECONDS));
    }
    mine.unlock();
  }
}
