package io.mortise.conformance.outside;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server of the run, and a link to it for each worker. It keeps its data when it is killed: what
 * it has answered is in the file, since it writes before it answers ({@code appendfsync no} leaves
 * to the kernel when that reaches the disk, which only a crash of the machine would show). Its
 * clock can be moved where libfaketime is installed.
 */
final class Site implements AutoCloseable {
  private static final List<String> SHIMS =
      List.of(
          System.getProperty("mortise.faketime", ""),
          "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
          "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
          "/usr/lib64/faketime/libfaketime.so.1",
          "/usr/lib/faketime/libfaketime.so.1");

  /** Loaded before a server's own malloc, which asks for the time before the shim can tell it. */
  private static final String LIBC = " libc.so.6";

  private final String name;
  private final RedisServer server;
  private final List<TcpProxy> links;
  private final @Nullable Path clock;
  private long offset;

  Site(Path folder, String name, int workers, boolean clockMoves) {
    this.name = name;
    Optional<String> shim = clockMoves ? shim() : Optional.empty();
    clock = shim.isPresent() ? folder.resolve(name + ".clock").toAbsolutePath() : null;
    RedisServer.Builder builder =
        RedisServer.builder().arguments("--appendonly", "yes", "--appendfsync", "no");
    if (clock != null) {
      setClock(0);
      builder
          .environment("LD_PRELOAD", shim.orElseThrow() + LIBC)
          .environment("FAKETIME_TIMESTAMP_FILE", clock.toString())
          .environment("FAKETIME_NO_CACHE", "1")
          .environment("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
    server = builder.start();
    links = Stream.generate(() -> TcpProxy.to(server)).limit(workers).toList();
  }

  /** The library that moves clocks, where it is installed. */
  static Optional<String> shim() {
    return SHIMS.stream()
        .filter(file -> !file.isEmpty() && Files.exists(Path.of(file)))
        .findFirst();
  }

  String name() {
    return name;
  }

  RedisServer server() {
    return server;
  }

  TcpProxy link(int worker) {
    return links.get(worker);
  }

  boolean hasClock() {
    return clock != null;
  }

  /** Steps the server's clock; a process that has just asked for the time sees it next time. */
  void stepClock(long millis) {
    offset += millis;
    setClock(offset);
  }

  private void setClock(long millis) {
    if (clock == null) {
      throw new IllegalStateException("libfaketime is not installed");
    }
    try {
      Path next = Files.writeString(Path.of(clock + ".new"), "%+.3f\n".formatted(millis / 1e3));
      Files.move(next, clock, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    links.forEach(TcpProxy::close);
    server.close();
  }
}
