package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Checks that locks are safe on a Redis server, and builds the messages for servers that fail. */
public final class RedisServers {
  /** The server answers but is of the wrong kind. The message needs no further advice. */
  private static final class Unfit extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Unfit(String message) {
      super(message);
    }
  }

  private RedisServers() {}

  /**
   * Checks a server by its reply to {@code HELLO}, a command that no ACL forbids.
   *
   * @param endpoint the server's address, without a secret
   * @param hello the reply: {@code version}, {@code mode}, {@code role} and more
   * @return facts about a single master of version 6.2 or later
   * @throws IllegalArgumentException the server is something else; the message says what
   */
  public static BackendInfo usable(String endpoint, Map<String, ?> hello) {
    String version = String.valueOf(hello.get("version"));
    boolean old = version.matches("([0-5]|6\\.[01])(\\..*)?");
    if (old || !"standalone".equals(hello.get("mode")) || !"master".equals(hello.get("role"))) {
      throw new Unfit(
          "it is a %s %s of version %s; a standalone master of 6.2 or later is needed, clusters and sentinels are not supported yet"
              .formatted(hello.get("mode"), hello.get("role"), version));
    }
    return new BackendInfo(endpoint, version, true, true);
  }

  /**
   * Checks that a server listens, with a connection that sends nothing. For clients that take
   * seconds to load: the most common failure is then reported before.
   *
   * @param address the server's address
   * @param timeout how long to wait for each of the host's IP addresses
   * @throws BackendException all IP addresses refused the connection; the client has to find other
   *     failures
   */
  public static void knock(RedisAddress address, Duration timeout) {
    ConnectException refusal = null;
    try {
      for (InetAddress each : InetAddress.getAllByName(address.host())) {
        try (Socket door = new Socket()) {
          door.connect(
              new InetSocketAddress(each, address.port()), Math.toIntExact(timeout.toMillis()));
          return;
        } catch (ConnectException e) {
          refusal = e;
        }
      }
    } catch (IOException e) {
      return;
    }
    if (refusal != null) {
      throw refusal(address.toString(), refusal);
    }
  }

  /**
   * Opens a backend, and closes everything again on failure.
   *
   * @param <B> the type of the backend
   * @param endpoint the server's address, without a secret
   * @param opening connects and checks
   * @param atFailure closes everything that {@code opening} may have opened
   * @return the result of {@code opening}
   * @throws BackendException the server cannot be reached or is refused
   */
  public static <B> B open(String endpoint, Supplier<B> opening, Runnable atFailure) {
    try {
      return opening.get();
    } catch (RuntimeException e) {
      atFailure.run();
      throw refusal(endpoint, e);
    } catch (LinkageError e) {
      atFailure.run();
      throw e;
    }
  }

  /**
   * The exception to throw when a server cannot be used.
   *
   * @param endpoint the server's address, without a secret
   * @param failure from connecting or from {@link #usable}; the message quotes its innermost cause
   * @return an exception that names the next step, as far as the failure shows it
   */
  public static BackendException refusal(String endpoint, Throwable failure) {
    Throwable reason =
        Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
            .reduce(failure, (outer, inner) -> inner);
    String message = endpoint + " cannot be used: " + reason.getMessage() + advice(reason);
    return new BackendException(Outcome.NOT_EXECUTED, message, failure);
  }

  private static String advice(Throwable reason) {
    String message = String.valueOf(reason.getMessage());
    if (reason instanceof Unfit) {
      return "";
    }
    if (message.matches("(?s)(WRONGPASS|NOAUTH|NOPERM|ERR AUTH)\\b.*")) {
      return "; check user and password, and what the server's ACL allows that user";
    }
    if (message.matches("(?s)ERR .*\\bDB index\\b.*")) {
      return "; check the database, the number after the last slash";
    }
    return "; check host, port, TLS (rediss), user, password and database";
  }
}
