package io.mortise.conformance.lock;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.support.Crew;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A process of its own that locks; started by the tests, which read its standard output. */
final class LockingProcess {
  static final String LOCKED = "locked";

  private LockingProcess() {}

  /** Starts a JVM with this class. */
  static Process start(String... arguments) throws IOException {
    return start(LockingProcess.class, arguments);
  }

  /** Starts a JVM with a class of the kit. */
  static Process start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1"); // it lives for seconds
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /**
   * Counts in a file under the lock, or without; or holds the lock until it is killed.
   *
   * @param args "count", "count-unguarded" or "hold"; URI; provider; lock name; file; threads;
   *     rounds
   */
  public static void main(String[] args) throws Exception {
    try (LockService service = RemoteLock.patiently(() -> LockService.open(args[1], args[2]))) {
      DistributedLock lock = service.getLock(args[3]);
      if (args[0].equals("hold")) {
        lock.lock(Long.parseLong(args[4]), TimeUnit.MILLISECONDS);
        System.out.println(LOCKED);
        System.out.flush();
        Thread.sleep(60_000);
        return;
      }
      boolean guarded = args[0].equals("count");
      int rounds = Integer.parseInt(args[6]);
      Crew.run(Integer.parseInt(args[5]), number -> count(Path.of(args[4]), rounds, guarded, lock));
    }
  }

  private static void count(Path file, int rounds, boolean guarded, DistributedLock lock)
      throws IOException {
    try (RandomAccessFile counter = new RandomAccessFile(file.toFile(), "rw")) {
      for (int i = 0; i < rounds; i++) {
        if (guarded) {
          lock.lock();
        }
        try {
          increment(counter);
        } finally {
          if (guarded) {
            lock.unlock();
          }
        }
      }
    }
  }

  /** Reads, lets others run, writes. */
  private static void increment(RandomAccessFile counter) throws IOException {
    counter.seek(0);
    long before = counter.readLong();
    LockSupport.parkNanos(1);
    counter.seek(0);
    counter.writeLong(before + 1);
  }
}
