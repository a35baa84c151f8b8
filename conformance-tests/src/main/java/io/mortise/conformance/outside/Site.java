package io.mortise.conformance.outside;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A server of the run, and a link to it for each worker. The server keeps its data when it is
 * killed, because it writes to the file before it answers. With {@code appendfsync no} the kernel
 * decides when the data reaches the disk. Only a crash of the machine would show that. The clock
 * can be moved where there is a C compiler.
 */
final class Site implements AutoCloseable {
  private final String name;
  private final RedisServer server;
  private final List<TcpProxy> links;
  private final boolean clockMoves;

  Site(String name, int workers, boolean clockMoves) {
    this.name = name;
    this.clockMoves = clockMoves && RedisServer.canHaveMovableClock();
    RedisServer.Builder builder =
        RedisServer.builder().arguments("--appendonly", "yes", "--appendfsync", "no");
    server = (this.clockMoves ? builder.movableClock() : builder).start();
    links = Stream.generate(() -> TcpProxy.to(server)).limit(workers).toList();
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
    return clockMoves;
  }

  void stepClock(long millis) {
    server.stepClock(Duration.ofMillis(millis));
  }

  @Override
  public void close() {
    links.forEach(TcpProxy::close);
    server.close();
  }
}
