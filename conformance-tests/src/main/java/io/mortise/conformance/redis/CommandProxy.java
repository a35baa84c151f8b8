package io.mortise.conformance.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A server as a managed service shows it. The proxy listens on a port of 127.0.0.1 in front of a
 * server, reads each command and may send another one in its place. The server answers that one, so
 * replies stay in order. Thread-safe. Its threads are daemons and end with {@link #close}.
 */
public final class CommandProxy implements AutoCloseable {
  private static final String MARK = "mortise-proxy-mark";

  private volatile RedisServer server;
  private final @Nullable RedisServer hearing;
  private final UnaryOperator<List<String>> change;
  private final ServerSocket door;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  private CommandProxy(
      RedisServer server, @Nullable RedisServer hearing, UnaryOperator<List<String>> change) {
    this.server = server;
    this.hearing = hearing;
    this.change = change;
    try {
      door = new ServerSocket(FreePort.next(), 100, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::acceptAll);
  }

  /**
   * Opens a proxy.
   *
   * @param server gets the commands
   * @param change makes of each command the one that the server gets; the words have one character
   *     for each byte
   * @return the proxy
   */
  public static CommandProxy to(RedisServer server, UnaryOperator<List<String>> change) {
    return new CommandProxy(server, null, change);
  }

  /**
   * Opens a proxy whose subscribers are on another server than scripts. So PUBLISH in a script
   * counts none of them, and yet its messages arrive.
   *
   * @param master gets the commands
   * @param replica gets the subscriptions
   * @return the proxy
   */
  public static CommandProxy withSubscribersAt(RedisServer replica, RedisServer master) {
    return new CommandProxy(master, replica, command -> command);
  }

  /**
   * Leads new connections to another server, as a name does that gets another address. Old ones
   * stay.
   *
   * @param next the server of the connections from now on
   */
  public void leadTo(RedisServer next) {
    server = next;
  }

  /**
   * The command that the server answers with an error.
   *
   * @param error the error, its code first
   * @return a command in place of the one that is refused
   */
  public static List<String> refusal(String error) {
    return List.of("EVAL", "return redis.error_reply(ARGV[1])", "0", error);
  }

  /**
   * The URI of the server through this proxy.
   *
   * @return {@code redis://127.0.0.1:port}
   */
  public URI uri() {
    return URI.create("redis://127.0.0.1:" + door.getLocalPort());
  }

  /** Breaks all connections and ends the proxy. */
  @Override
  public void close() {
    try {
      door.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "mortise-command-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void acceptAll() {
    while (!door.isClosed()) {
      try {
        Socket client = opened(door.accept());
        start(() -> serve(client));
      } catch (IOException e) {
        // The proxy was closed.
      }
    }
  }

  private Socket opened(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return socket;
  }

  private Socket connect(RedisServer to) throws IOException {
    Socket socket = opened(new Socket());
    socket.connect(new InetSocketAddress(to.host(), to.port()), 2_000);
    return socket;
  }

  @SuppressWarnings("resource") // end() closes the sockets
  private void serve(Socket client) {
    List<Socket> ends = new ArrayList<>(List.of(client));
    try {
      Socket target = connect(server);
      ends.add(target);
      start(() -> pump(target, client));
      DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
      OutputStream out = target.getOutputStream();
      ByteArrayOutputStream before = new ByteArrayOutputStream();
      while (true) {
        List<String> command = read(in);
        if (hearing != null && ends.size() == 2 && command.get(0).endsWith("SUBSCRIBE")) {
          Socket other = connect(hearing);
          ends.add(other);
          out = moved(before.toByteArray(), other, client);
        }
        byte[] bytes = bytes(change.apply(command));
        before.write(bytes);
        out.write(bytes);
      }
    } catch (IOException e) {
      end(ends);
    }
  }

  /** Greets the other server as the first one was greeted, and drops its replies to that. */
  private static OutputStream moved(byte[] before, Socket other, Socket client) throws IOException {
    OutputStream out = other.getOutputStream();
    out.write(before);
    out.write(bytes(List.of("PING", MARK)));
    InputStream in = other.getInputStream();
    StringBuilder seen = new StringBuilder();
    while (seen.indexOf(MARK + "\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException(seen.toString());
      }
      seen.append((char) next);
    }
    start(() -> pump(other, client));
    return out;
  }

  private static void pump(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One of the two was closed.
    }
    end(List.of(from, to));
  }

  private static void end(List<Socket> sockets) {
    for (Socket socket : sockets) {
      try {
        socket.close();
      } catch (IOException e) {
        // It is closed.
      }
    }
  }

  private static List<String> read(DataInputStream in) throws IOException {
    int count = number(in, '*');
    List<String> words = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] word = new byte[number(in, '$')];
      in.readFully(word);
      in.skipNBytes(2);
      words.add(new String(word, StandardCharsets.ISO_8859_1));
    }
    return words;
  }

  private static int number(DataInputStream in, char kind) throws IOException {
    int first = in.readUnsignedByte();
    if (first != kind) {
      throw new IOException("not a command: " + (char) first);
    }
    StringBuilder digits = new StringBuilder();
    for (int next = in.readUnsignedByte(); next != '\r'; next = in.readUnsignedByte()) {
      digits.append((char) next);
    }
    in.skipNBytes(1);
    return Integer.parseInt(digits.toString());
  }

  private static byte[] bytes(List<String> words) {
    StringBuilder text = new StringBuilder("*" + words.size() + "\r\n");
    for (String word : words) {
      text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }
}
