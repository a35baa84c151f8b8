package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The times of an opening. They follow the time of a command, and are long enough for a JVM that
 * has little of a busy machine and has to load a client meanwhile. If time runs out, the server is
 * asked by a plain socket: one that answers is tried again, and one that is silent is refused.
 */
public final class Opening {
  /** A busy JVM may need seconds to load a client. */
  private static final Duration COLD = Duration.ofSeconds(4);

  private static final int MOST_ATTEMPTS = 15;

  private Opening() {}

  /**
   * How long one attempt at one server may take.
   *
   * @param command the time of a command
   * @return the same, but at least four seconds
   */
  public static Duration attempt(Duration command) {
    return command.compareTo(COLD) < 0 ? COLD : command;
  }

  /**
   * How long an opening may take in all, if servers answer slowly.
   *
   * @param command the time of a command
   * @param nodes how many servers are asked one after the other
   * @return the time of fifteen attempts, and of another one for each further node
   */
  public static Duration longest(Duration command, int nodes) {
    return attempt(command).multipliedBy(MOST_ATTEMPTS - 1L + nodes);
  }

  /**
   * Opens a connection, and tries again while time runs out although the server answers.
   *
   * @param <B> the type of what is opened
   * @param server the server
   * @param command the time of a command
   * @param opening one attempt, which leaves nothing open if it fails
   * @return the result of {@code opening}
   * @throws BackendException the last failure; if the server is silent, the message says so
   */
  public static <B> B patiently(RedisAddress server, Duration command, Supplier<B> opening) {
    long end = System.nanoTime() + attempt(command).multipliedBy(MOST_ATTEMPTS - 1).toNanos();
    while (true) {
      try {
        return opening.get();
      } catch (BackendException e) {
        if (!isLate(e)) {
          throw e;
        }
        requireAnswer(server, command, e);
        if (System.nanoTime() - end > 0) {
          throw e;
        }
      }
    }
  }

  /**
   * Whether a failure says that time ran out.
   *
   * @param failure from connecting
   * @return true if a cause is named after a timeout, as those of the JDK, of Netty and of clients,
   *     unless it is one of a supplier of credentials
   */
  private static boolean isLate(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .takeWhile(each -> !(each instanceof CredentialFault))
        .anyMatch(each -> each.getClass().getSimpleName().contains("Timeout"));
  }

  private static void requireAnswer(RedisAddress server, Duration command, BackendException late) {
    int millis = Math.toIntExact(Math.max(1, command.toMillis()));
    String found = "no connection was made within " + millis + " ms; " + RedisServers.NO_ROUTE;
    try (SocketChannel channel = SocketChannel.open()) { // an interrupt closes it
      channel.socket().connect(new InetSocketAddress(host(server), server.port()), millis);
      found =
          "it accepts connections, and did not answer PING within "
              + millis
              + " ms; check that this is a Redis server, and that it is not stopped or overloaded";
      channel.socket().setSoTimeout(millis);
      channel.socket().getOutputStream().write(Protocol.PING);
      int first = channel.socket().getInputStream().read();
      if (server.tls() && (first == '+' || first == '-')) {
        found = "it answers without TLS; write redis in place of rediss, or give its TLS port";
      } else {
        return;
      }
    } catch (IOException e) {
      late.addSuppressed(e);
      if (Thread.currentThread().isInterrupted()) { // that ended the look
        found =
            "it did not answer in time, and the thread is interrupted; open it on a thread that is not interrupted";
      }
    }
    String message = server + " cannot be used: " + found;
    throw new BackendException(Outcome.NOT_EXECUTED, message, late);
  }

  private static String host(RedisAddress server) {
    return server.host().replaceAll("[\\[\\]]", "");
  }
}
