package io.mortise.conformance.lock.redlock;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.redis.TcpProxy.Direction;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Independent Redis servers, each behind a link of its own. One thread at a time may change the
 * state of a node.
 */
final class IndependentServers implements AutoCloseable {
  /** By how much a slow node's requests and replies are delayed, each. */
  static final Duration DELAY = Duration.ofMillis(225);

  /** The faults of a node. */
  enum Fault {
    /** The process is gone, and its data. */
    KILLED,
    /** The process stands still. Connections stay open, and no reply comes. */
    FROZEN,
    /** It replies later than a member may. */
    SLOW
  }

  private final List<RedisServer> servers;
  private final List<TcpProxy> links;

  IndependentServers(int count) {
    servers = Stream.generate(RedisServer::start).limit(count).toList();
    links = servers.stream().map(TcpProxy::to).toList();
  }

  int count() {
    return servers.size();
  }

  RedisServer server(int node) {
    return servers.get(node);
  }

  TcpProxy link(int node) {
    return links.get(node);
  }

  URI uri(int node) {
    return links.get(node).uri();
  }

  void spoil(int node, Fault fault) {
    switch (fault) {
      case KILLED -> server(node).kill();
      case FROZEN -> server(node).pause();
      case SLOW -> delay(node, DELAY);
    }
  }

  /** Repairs a node. A killed one comes back without data. */
  void mend(int node, Fault fault) {
    switch (fault) {
      case KILLED -> server(node).restart();
      case FROZEN -> server(node).resume();
      case SLOW -> delay(node, Duration.ZERO);
    }
  }

  /** Delays requests and replies, each by that much. */
  void delay(int node, Duration delay) {
    link(node).delay(Direction.REQUESTS, delay);
    link(node).delay(Direction.REPLIES, delay);
  }

  @Override
  public void close() {
    links.forEach(TcpProxy::close);
    servers.forEach(RedisServer::close);
  }
}
