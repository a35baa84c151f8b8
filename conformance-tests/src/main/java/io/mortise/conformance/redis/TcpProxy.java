package io.mortise.conformance.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A link with faults on demand. It listens on a port of this machine in front of a server and
 * forwards bytes until a method changes that. Thread-safe. Its threads are daemons and end with
 * {@link #close}.
 */
public final class TcpProxy implements AutoCloseable {
  /** One of the two directions of a link. */
  public enum Direction {
    /** From the client to the server. */
    REQUESTS,
    /** From the server to the client. */
    REPLIES
  }

  private static final long LONGEST_END = 10_000;

  private final InetSocketAddress target;
  private final ServerSocket door;
  private final Thread acceptor;
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
    this(new InetSocketAddress(host, port), "127.0.0.1", FreePort.next());
  }

  private TcpProxy(InetSocketAddress target, String address, int port) {
    this.target = target;
    try {
      door = new ServerSocket(port, 100, InetAddress.getByName(address));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    acceptor = start(this::acceptAll, "accept");
  }

  /**
   * Opens a proxy in front of a server.
   *
   * @param server the target
   * @return the proxy, which forwards everything
   */
  public static TcpProxy to(RedisServer server) {
    return new TcpProxy(server.host(), server.port());
  }

  /**
   * Opens a proxy that listens at another address of this machine, as on another machine.
   *
   * @param address of the network 127, of which Linux has all addresses
   * @param port the port at that address
   * @param server the target
   * @return the proxy, which forwards everything
   */
  public static TcpProxy at(String address, int port, RedisServer server) {
    return new TcpProxy(new InetSocketAddress(server.host(), server.port()), address, port);
  }

  /**
   * The port for clients.
   *
   * @return a port of 127.0.0.1
   */
  public int port() {
    return door.getLocalPort();
  }

  /**
   * The URI of the server through this proxy.
   *
   * @return {@code redis://127.0.0.1:port}
   */
  public URI uri() {
    return URI.create("redis://127.0.0.1:" + port());
  }

  /** Holds back all bytes in both directions, as a half-open link does, also on new connections. */
  public void stall() {
    stall(Direction.REQUESTS);
    stall(Direction.REPLIES);
  }

  /**
   * Holds back the bytes of one direction until {@link #resume}.
   *
   * @param direction which bytes
   */
  public void stall(Direction direction) {
    flow(direction).stall(true);
  }

  /**
   * Holds back each piece of data of one direction for a while, as a far link does. Pieces that
   * come meanwhile are late by as much, and no more.
   *
   * @param direction which bytes
   * @param delay how long; zero ends it
   */
  public void delay(Direction direction, Duration delay) {
    flow(direction).delay(delay);
  }

  /** Drops the server's bytes from now on: requests arrive, and their replies are lost. */
  public void dropReplies() {
    replies.drop(true);
  }

  /** Closes new connections at once. Open ones stay. */
  public void refuse() {
    refusing = true;
  }

  /** Resets all open connections at both ends. Bytes that are held back are lost. */
  public void cut() {
    links.forEach(Link::cut);
  }

  /** Forwards everything again: no stall, no delay, no drop, no refused connection. */
  public void resume() {
    refusing = false;
    requests.pass();
    replies.pass();
  }

  /**
   * The number of open connections.
   *
   * @return connections of clients
   */
  public int connections() {
    return links.size();
  }

  /** Breaks all connections and ends the proxy. Then its port is free. Idempotent. */
  @Override
  public void close() {
    closed = true;
    try {
      door.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
    try {
      acceptor.join(LONGEST_END); // the system keeps the port while a thread is in accept()
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return "TcpProxy[" + port() + " -> " + target + ", " + connections() + " connections]";
  }

  private Flow flow(Direction direction) {
    return direction == Direction.REQUESTS ? requests : replies;
  }

  private Thread start(Runnable task, String what) {
    Thread thread = new Thread(task, "mortise-proxy-" + port() + '-' + what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void acceptAll() {
    while (!closed) {
      try {
        accept(door.accept());
      } catch (IOException e) {
        // The proxy was closed, or this connection failed.
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
    pump(link, client, server, requests, "requests");
    pump(link, server, client, replies, "replies");
  }

  private void pump(Link link, Socket from, Socket to, Flow flow, String what) {
    BlockingQueue<Piece> way = new LinkedBlockingQueue<>();
    start(() -> link.read(from, way), what);
    start(() -> link.forward(way, to, flow), what + "-out");
  }

  /** Bytes, and when they came. Without bytes it is the end of a direction. */
  private static final class Piece {
    final byte[] bytes;
    final long arrival = System.nanoTime();

    Piece(byte[] bytes) {
      this.bytes = bytes;
    }
  }

  /** A client's connection, and its connection to the server. */
  private final class Link {
    private final Socket client;
    private final Socket server;
    private volatile boolean ended;

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    /** Reads until the source ends. Its end is the last piece, and a stall holds it back too. */
    void read(Socket from, BlockingQueue<Piece> way) {
      byte[] buffer = new byte[8_192];
      int n = 0;
      while (n >= 0) {
        try {
          n = from.getInputStream().read(buffer);
        } catch (IOException e) {
          n = -1;
        }
        way.add(new Piece(Arrays.copyOf(buffer, Math.max(0, n))));
      }
    }

    /** Writes each piece when its time has come, and ends both connections after the last. */
    void forward(BlockingQueue<Piece> way, Socket to, Flow flow) {
      try {
        Piece piece = way.take();
        while (piece.bytes.length > 0) {
          if (flow.awaitPassage(piece.arrival, () -> ended)) {
            to.getOutputStream().write(piece.bytes);
          }
          piece = way.take();
        }
        flow.awaitPassage(piece.arrival, () -> ended);
      } catch (IOException e) {
        flow.awaitPassage(System.nanoTime(), () -> ended);
      } catch (InterruptedException e) {
        throw new IllegalStateException("the threads of a proxy are never interrupted", e);
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
        // The socket is closed, as a cut wants it.
      }
    }
  }
}
