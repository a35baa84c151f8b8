package io.mortise.conformance.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A redis-server process that is a child of this JVM and has its own data folder. */
final class ChildNode implements Node {
  /** Processes to end if the JVM ends before its tests close them. */
  private static final Set<ChildNode> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Thread end = new Thread(() -> RUNNING.forEach(ChildNode::dispose), "mortise-redis-shutdown");
    Runtime.getRuntime().addShutdownHook(end);
  }

  private final int port = FreePort.next();
  private final List<String> command;
  private final Path folder;
  private final Path log;
  private final @Nullable ServerClock clock;
  private @Nullable Process process;

  /**
   * @param sentinel the configuration of a sentinel; empty for a server with data
   * @param movableClock whether its clock can be stepped
   */
  ChildNode(Path executable, List<String> sentinel, List<String> arguments, boolean movableClock) {
    try {
      folder = Files.createTempDirectory("mortise-redis");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    log = folder.resolve("output.txt");
    clock = movableClock ? new ServerClock(folder) : null;
    command = new ArrayList<>(List.of(executable.toString()));
    if (!sentinel.isEmpty()) {
      command.addAll(List.of(written(sentinel).toString(), "--sentinel"));
    }
    command.addAll(List.of("--port", String.valueOf(port), "--bind", host()));
    command.addAll(List.of("--save", "", "--appendonly", "no"));
    command.addAll(arguments);
  }

  /** A sentinel keeps what it learns in its configuration file. */
  private Path written(List<String> lines) {
    try {
      return Files.write(folder.resolve("sentinel.conf"), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String host() {
    return "127.0.0.1";
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public void launch() {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    if (clock != null) {
      builder.environment().putAll(clock.environment());
    }
    RUNNING.add(this);
    try {
      process = builder.start();
      ServerWatch.started(pid());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process process() {
    Process started = process;
    if (started == null) {
      throw new IllegalStateException("the server was not started");
    }
    return started;
  }

  @Override
  public long pid() {
    return process().pid();
  }

  @Override
  public boolean isRunning() {
    return process().isAlive();
  }

  @Override
  public void pause() {
    signal("-STOP");
  }

  @Override
  public void resume() {
    signal("-CONT");
  }

  @Override
  public void stepClock(Duration by) {
    if (clock == null) {
      throw new IllegalStateException("the server was started without a movable clock");
    }
    clock.step(by);
  }

  private void signal(String name) {
    if (!isRunning()) {
      throw new IllegalStateException("the server is not running:\n" + output());
    }
    try {
      Process kill = new ProcessBuilder("kill", name, String.valueOf(pid())).inheritIO().start();
      if (awaitEnd(kill) != 0) {
        throw new IllegalStateException("kill " + name + ' ' + pid() + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void kill() {
    if (process != null) {
      awaitEnd(process.destroyForcibly());
      ServerWatch.ended(pid());
    }
  }

  private static int awaitEnd(Process process) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return process.waitFor();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public String output() {
    try {
      return Files.exists(log) ? Files.readString(log) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void forget() {
    delete(file ->
        !file.equals(folder) && !file.equals(log) && (clock == null || !clock.isKeptIn(file)));
  }

  @Override
  public void dispose() {
    kill();
    RUNNING.remove(this);
    delete(file -> true);
  }

  private void delete(Predicate<Path> which) {
    try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
      files.filter(which).sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
