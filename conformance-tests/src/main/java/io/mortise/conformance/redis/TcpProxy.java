package io.mortise.conformance.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A link that can be spoiled: it stands on a port of 127.0.0.1 in front of a server and passes
 * bytes on, until told otherwise. Thread-safe; its threads are daemons and end with {@link #close}.
 */
public final class TcpProxy implements AutoCloseable {
  /** One of the two directions of a link. */
  public enum Direction {
    /** From the client to the server. */
    REQUESTS,
    /** From the server to the client. */
    REPLIES
  }

  private final InetSocketAddress target;
  private final ServerSocket door;
  private final Flow requests = new Flow();
  private final Flow replies = new Flow();
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private volatile boolean refusing;
  private volatile boolean closed;

  /**
   * Opens a proxy in front of a server.
   *
   * @param host the server's host
   * @param port the server's port
   */
  public TcpProxy(String host, int port) {
    target = new InetSocketAddress(host, port);
    try {
      door = new ServerSocket(FreePort.next(), 100, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::acceptAll, "accept");
  }

  /**
   * Opens a proxy in front of a server.
   *
   * @param server where bytes go
   * @return the proxy, which passes everything on
   */
  public static TcpProxy to(RedisServer server) {
    return new TcpProxy(server.host(), server.port());
  }

  /**
   * The port clients connect to.
   *
   * @return a port of 127.0.0.1
   */
  public int port() {
    return door.getLocalPort();
  }

  /**
   * The URI to reach the server through this proxy.
   *
   * @return {@code redis://127.0.0.1:port}
   */
  public URI uri() {
    return URI.create("redis://127.0.0.1:" + port());
  }

  /** Holds all bytes back, both ways, as a half-open link does; also of new connections. */
  public void stall() {
    stall(Direction.REQUESTS);
    stall(Direction.REPLIES);
  }

  /**
   * Holds the bytes of one direction back. They go on after {@link #resume}.
   *
   * @param direction which bytes
   */
  public void stall(Direction direction) {
    flow(direction).stall(true);
  }

  /**
   * Holds each piece of data of one direction back for a while.
   *
   * @param direction which bytes
   * @param delay how long; zero ends it
   */
  public void delay(Direction direction, Duration delay) {
    flow(direction).delay(delay);
  }

  /** Swallows what the server says from now on: requests arrive, their replies are lost. */
  public void dropReplies() {
    replies.drop(true);
  }

  /** Closes new connections at once; open ones stay. */
  public void refuse() {
    refusing = true;
  }

  /** Breaks all open connections with a reset, at both ends; what is held back is lost. */
  public void cut() {
    links.forEach(Link::cut);
  }

  /** Passes everything on again: no stall, no delay, nothing dropped, nobody refused. */
  public void resume() {
    refusing = false;
    requests.pass();
    replies.pass();
  }

  /**
   * How many connections are open.
   *
   * @return connections of clients
   */
  public int connections() {
    return links.size();
  }

  /** Breaks all connections and ends the proxy. Idempotent. */
  @Override
  public void close() {
    closed = true;
    try {
      door.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }

  @Override
  public String toString() {
    return "TcpProxy[" + port() + " -> " + target + ", " + connections() + " connections]";
  }

  private Flow flow(Direction direction) {
    return direction == Direction.REQUESTS ? requests : replies;
  }

  private void start(Runnable task, String what) {
    Thread thread = new Thread(task, "mortise-proxy-" + port() + '-' + what);
    thread.setDaemon(true);
    thread.start();
  }

  private void acceptAll() {
    while (!closed) {
      try {
        accept(door.accept());
      } catch (IOException e) {
        // The door was closed, or this one connection came to nothing.
      }
    }
  }

  private void accept(Socket client) throws IOException {
    Socket server = new Socket();
    Link link = new Link(client, server);
    links.add(link);
    try {
      if (refusing || closed) {
        throw new IOException("refused");
      }
      server.connect(target, 2_000);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    } catch (IOException e) {
      link.cut();
      throw e;
    }
    start(() -> link.pump(client, server, requests), "requests");
    start(() -> link.pump(server, client, replies), "replies");
  }

  /** A client's connection and the one to the server that belongs to it. */
  private final class Link {
    private final Socket client;
    private final Socket server;
    private volatile boolean ended;

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    /** Moves bytes until the source ends; its end is passed on like bytes, so a stall hides it. */
    void pump(Socket from, Socket to, Flow flow) {
      byte[] buffer = new byte[8_192];
      try {
        for (int n = 0; n >= 0; ) {
          n = from.getInputStream().read(buffer);
          boolean passes = flow.awaitPassage(() -> ended);
          if (passes && n > 0) {
            to.getOutputStream().write(buffer, 0, n);
          }
        }
      } catch (IOException e) {
        flow.awaitPassage(() -> ended);
      }
      cut();
    }

    void cut() {
      ended = true;
      links.remove(this);
      requests.wake();
      replies.wake();
      reset(client);
      reset(server);
    }

    private void reset(Socket socket) {
      try {
        if (!socket.isClosed()) {
          socket.setSoLinger(true, 0);
        }
        socket.close();
      } catch (IOException e) {
        // It is closed; that is all a cut is for.
      }
    }
  }
}
