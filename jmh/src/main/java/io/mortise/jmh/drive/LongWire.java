package io.mortise.jmh.drive;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A server at a distance of some milliseconds. Bytes that follow each other stay together on their
 * way, as on a long wire. Unlike the test kit's proxy, it costs time and no throughput. Its threads
 * are daemons and end with {@link #close}.
 */
final class LongWire implements AutoCloseable {
  /** The bytes of one read. */
  private record Piece(ByteBuffer bytes, long arrival) {}

  private final URI server;
  private final ServerSocket door;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile long delayNanos;

  LongWire(URI server) throws IOException {
    this.server = server;
    door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  URI uri() {
    return URI.create("redis://127.0.0.1:" + door.getLocalPort());
  }

  /** From now on each piece of data takes this long, in both directions. */
  void delay(long time, TimeUnit unit) {
    delayNanos = unit.toNanos(time);
  }

  private interface Task {
    void run() throws IOException, InterruptedException;
  }

  private static void start(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException | InterruptedException e) {
                // One end has closed the connection, or close() was called.
              }
            },
            "wire");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() throws IOException {
    while (!door.isClosed()) {
      Socket client = door.accept();
      Socket target = new Socket(server.getHost(), server.getPort());
      for (Socket each : new Socket[] {client, target}) {
        each.setTcpNoDelay(true);
        sockets.add(each);
      }
      connect(client, target);
      connect(target, client);
    }
  }

  private void connect(Socket from, Socket to) {
    BlockingQueue<Piece> way = new LinkedBlockingQueue<>();
    start(() -> read(from, way));
    start(() -> write(way, to));
  }

  private static void read(Socket from, BlockingQueue<Piece> way) throws IOException {
    byte[] buffer = new byte[16_384];
    try {
      for (int n = from.getInputStream().read(buffer);
          n >= 0;
          n = from.getInputStream().read(buffer)) {
        way.add(new Piece(ByteBuffer.wrap(buffer.clone(), 0, n), System.nanoTime()));
      }
    } finally {
      way.add(new Piece(ByteBuffer.allocate(0), 0)); // the end
    }
  }

  private void write(BlockingQueue<Piece> way, Socket to) throws IOException, InterruptedException {
    try (to) {
      for (Piece piece = way.take(); piece.bytes().hasRemaining(); piece = way.take()) {
        long left = piece.arrival() + delayNanos - System.nanoTime();
        if (left > 0) {
          TimeUnit.NANOSECONDS.sleep(left);
        }
        to.getOutputStream().write(piece.bytes().array(), 0, piece.bytes().limit());
      }
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
