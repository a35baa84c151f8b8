package io.mortise.conformance.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plain connection to Redis, independent of the clients under test. A reply is a {@link String},
 * a {@link Long}, a {@link List} or null. A list may also contain a {@link RespException}. Not
 * thread-safe, except that any thread may close it.
 */
public final class RespConnection implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /**
   * Connects.
   *
   * @param host where the server is
   * @param port its port
   * @param timeout the longest time to connect, and later to wait for bytes of a reply
   * @throws IOException there is no connection
   */
  @SuppressWarnings("resource") // The streams are the socket's, which close() closes.
  public RespConnection(String host, int port, Duration timeout) throws IOException {
    socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(host, port), Math.toIntExact(timeout.toMillis()));
      timeout(timeout);
      in = new BufferedInputStream(socket.getInputStream());
      out = new BufferedOutputStream(socket.getOutputStream());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Changes the longest time to wait for bytes of a reply.
   *
   * @param timeout rounded up to a millisecond; zero waits for ever
   * @throws IOException the connection is closed
   */
  public void timeout(Duration timeout) throws IOException {
    socket.setSoTimeout(Math.toIntExact(timeout.plusNanos(999_999).toMillis()));
  }

  /**
   * Sends a command and reads its reply.
   *
   * @param words the command and its arguments
   * @return the reply
   * @throws RespException the reply is an error
   * @throws IOException the connection failed or the reply did not come in time
   */
  public @Nullable Object call(String... words) throws IOException {
    send(words);
    return read();
  }

  /**
   * Sends a command without reading its reply.
   *
   * @param words the command and its arguments
   * @throws IOException the connection failed
   */
  public void send(String... words) throws IOException {
    out.write(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
    for (String word : words) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
      out.write(bytes);
      out.write('\r');
      out.write('\n');
    }
    out.flush();
  }

  /**
   * Reads the next reply or pushed message.
   *
   * @return the reply
   * @throws RespException the reply is an error
   * @throws IOException the connection failed or the reply did not come in time
   */
  public @Nullable Object read() throws IOException {
    Object reply = element();
    if (reply instanceof RespException error) {
      throw error;
    }
    return reply;
  }

  private @Nullable Object element() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> new RespException(rest);
      case ':' -> Long.valueOf(rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> array(Integer.parseInt(rest));
      default -> throw new IOException("not a RESP2 reply: " + line);
    };
  }

  private @Nullable String bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length || in.readNBytes(2).length < 2) {
      throw new EOFException("the connection ended inside a reply");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private @Nullable List<@Nullable Object> array(int size) throws IOException {
    if (size < 0) {
      return null;
    }
    List<@Nullable Object> elements = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      elements.add(element());
    }
    return elements;
  }

  private String line() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\r'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the connection ended");
      }
      bytes.write(b);
    }
    if (in.read() != '\n' || bytes.size() == 0) {
      throw new IOException("not a RESP2 line: " + bytes);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /**
   * Whether it was closed on this side.
   *
   * @return true after {@link #close}
   */
  public boolean isClosed() {
    return socket.isClosed();
  }

  /** Closes the connection. A thread that reads from it fails. Idempotent. */
  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // The connection is closed anyway.
    }
  }
}
