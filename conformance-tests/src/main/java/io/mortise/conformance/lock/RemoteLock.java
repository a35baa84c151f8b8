package io.mortise.conformance.lock;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A lock in a process of its own, which does what it is told, all on one thread, and can be frozen
 * and killed meanwhile. This class is both ends of it.
 */
final class RemoteLock implements AutoCloseable {
  static final String PLAIN = "plain";
  static final String READ = "read";
  static final String WRITE = "write";

  private static final String EVENT = "event ";

  private final Process process;

  /** Ends a frozen process too, which nothing else would, when the JVM ends before its test. */
  private final Thread atExit;

  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final List<String> events = new CopyOnWriteArrayList<>();

  private RemoteLock(Process process) {
    this.process = process;
    atExit = new Thread(process::destroyForcibly, "remote-lock-shutdown");
    Runtime.getRuntime().addShutdownHook(atExit);
    Thread reader = new Thread(this::read, "remote-lock");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts the process, and waits until its service is open. */
  static RemoteLock start(RedisKit kit, String name, Duration lease) {
    return start(kit, name, lease, PLAIN);
  }

  /**
   * As the other, with one side of a read/write lock.
   *
   * @param kind {@link #PLAIN}, {@link #READ} or {@link #WRITE}
   */
  static RemoteLock start(RedisKit kit, String name, Duration lease, String kind) {
    return start(RemoteLock.class, kit, name, lease, kind);
  }

  /** With another class at the process's end. */
  static RemoteLock start(Class<?> main, RedisKit kit, String name, Duration lease, String kind) {
    try {
      RemoteLock lock =
          new RemoteLock(
              LockingProcess.start(
                  main,
                  kit.server().uri().toString(),
                  kit.backendName(),
                  name,
                  Long.toString(lease.toMillis()),
                  kind));
      if (!lock.answer().equals("ready")) {
        throw new AssertionError("the process did not open its service");
      }
      return lock;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith(EVENT)) {
          events.add(line.substring(EVENT.length()));
        } else {
          answers.add(line);
        }
      }
      answers.add("the process has ended");
    } catch (IOException e) {
      answers.add("the process is gone: " + e);
    }
  }

  /** Tells it to lock, unlock, ensure or state; a frozen process does it when it is thawed. */
  void tell(String command) {
    PrintStream in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    in.println(command);
  }

  /** Whether it has answered what it was told. */
  boolean hasAnswered() {
    return !answers.isEmpty();
  }

  /** The next answer: what it did, or the name of the exception. */
  String answer() {
    Await.until("the process answers", Duration.ofSeconds(30), this::hasAnswered);
    return answers.remove();
  }

  String ask(String command) {
    tell(command);
    return answer();
  }

  /** The lease states its listener was told. */
  List<String> events() {
    return events;
  }

  /** Stops the process in its tracks: its connections stay open. */
  void freeze() {
    signal("-STOP");
    Await.until("every thread of the process stands still", () -> isStopped(process.pid()));
  }

  void thaw() {
    signal("-CONT");
  }

  private static boolean isStopped(long pid) {
    Path tasks = Path.of("/proc", Long.toString(pid), "task");
    if (!Files.isDirectory(tasks)) {
      return true; // not Linux: it will, in a moment
    }
    try (Stream<Path> all = Files.list(tasks)) {
      return all.allMatch(RemoteLock::isTaskStopped);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isTaskStopped(Path task) {
    try {
      String stat = Files.readString(task.resolve("stat"));
      return stat.startsWith("T", stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return true; // this thread has ended
    }
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", name, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts this test", e);
    }
  }

  /** Ends the process at once, frozen or not. */
  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(atExit);
    process.destroyForcibly().onExit().orTimeout(30, TimeUnit.SECONDS).join();
  }

  /**
   * The process's end.
   *
   * @param args URI, provider, lock name, lease in ms, kind of lock
   */
  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LockService service = open(args)) {
      DistributedLock lock = lock(service, args[2], args[4]);
      lock.onLeaseChange(event -> System.out.println(EVENT + event.state()));
      System.out.println("ready");
      for (String command = in.readLine(); command != null; command = in.readLine()) {
        System.out.println(obey(command, lock));
      }
    }
  }

  private static DistributedLock lock(LockService service, String name, String kind) {
    return switch (kind) {
      case READ -> service.getReadWriteLock(name).readLock();
      case WRITE -> service.getReadWriteLock(name).writeLock();
      default -> service.getLock(name);
    };
  }

  private static LockService open(String[] args) {
    Duration lease = Duration.ofMillis(Long.parseLong(args[3]));
    return patiently(
        () -> LockService.builder().uri(args[0]).provider(args[1]).leaseTime(lease).open());
  }

  /** Tries again: on a busy machine a JVM that has just started may take seconds to connect. */
  static <T> T patiently(Supplier<T> opening) {
    for (int attempt = 1; ; attempt++) {
      try {
        return opening.get();
      } catch (BackendUnavailableException | BackendException e) {
        if (attempt == 5) {
          throw e;
        }
      }
    }
  }

  /** For a process of another class: its backend, as the kit opens them. */
  static LockBackend backend(String uri, String provider) {
    LockBackendProvider found =
        ServiceLoader.load(LockBackendProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(each -> each.name().equals(provider))
            .findFirst()
            .orElseThrow();
    BackendConfig config =
        new BackendConfig(URI.create(uri), Duration.ofSeconds(2), "remote-lock", Map.of());
    return patiently(() -> found.open(config));
  }

  private static String obey(String command, DistributedLock lock) {
    try {
      switch (command) {
        case "lock" -> lock.lock();
        case "unlock" -> lock.unlock();
        case "ensure" -> lock.ensureHeld();
        case "state" -> {
          return lock.leaseState().name();
        }
        default -> throw new IllegalArgumentException(command);
      }
      return command;
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }
}
