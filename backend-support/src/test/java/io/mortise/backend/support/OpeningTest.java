package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OpeningTest {
  private static final Duration BRIEF = Duration.ofMillis(500);

  private final AtomicInteger attempts = new AtomicInteger();

  private String openAfter(int failures, Exception failure, ServerSocket at, boolean tls) {
    RedisAddress server = RedisAddress.at("127.0.0.1:" + at.getLocalPort(), tls);
    return Opening.patiently(
        server,
        BRIEF,
        () -> {
          if (attempts.incrementAndGet() <= failures) {
            throw new BackendException(Outcome.NOT_EXECUTED, "failed", failure);
          }
          return "open";
        });
  }

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /** A server that answers with this word, or is silent. */
  private static ServerSocket answering(@Nullable String word) throws IOException {
    ServerSocket server = listen();
    Thread thread =
        new Thread(() -> {
          try {
            while (true) {
              Socket socket = server.accept(); // stays open, as a client's
              if (word != null) {
                socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
              }
            }
          } catch (IOException e) {
            // The test is over.
          }
        });
    thread.setDaemon(true);
    thread.start();
    return server;
  }

  @Test
  @DisplayName("B16: while time runs out and the server answers, opening is tried again")
  void triesAgain() throws IOException {
    try (ServerSocket server = answering("-NOAUTH Authentication required.\r\n")) {
      assertEquals("open", openAfter(3, new SocketTimeoutException("late"), server, false));
      assertEquals(4, attempts.get());
    }
  }

  @Test
  @DisplayName("B16: a silent server is refused after one attempt, with the late failure as cause")
  void silent() throws IOException {
    SocketTimeoutException late = new SocketTimeoutException("late");
    try (ServerSocket server = answering(null)) {
      BackendException refusal =
          assertThrows(BackendException.class, () -> openAfter(9, late, server, false));
      assertTrue(String.valueOf(refusal.getMessage()).contains("did not answer PING within 500"));
      assertSame(late, root(refusal));
      assertEquals(1, attempts.get());
    }
  }

  @Test
  @DisplayName("B16: a thread that is interrupted is told so, and nothing of the address")
  void interrupted() throws IOException {
    SocketTimeoutException late = new SocketTimeoutException("late");
    try (ServerSocket server = answering(null)) {
      Thread.currentThread().interrupt();
      BackendException refusal =
          assertThrows(BackendException.class, () -> openAfter(9, late, server, false));
      assertTrue(Thread.interrupted());
      String message = String.valueOf(refusal.getMessage());
      assertTrue(message.contains("open it on a thread that is not interrupted"), message);
      assertFalse(message.contains("connection"), message);
    }
  }

  private static Throwable root(Throwable failure) {
    Throwable last = failure;
    for (Throwable each = failure; each != null; each = each.getCause()) {
      last = each;
    }
    return last;
  }

  @Test
  @DisplayName("B16: a server without TLS is recognized, and any other failure is final")
  void otherFailures() throws IOException {
    try (ServerSocket server = answering("+PONG\r\n")) {
      SocketTimeoutException late = new SocketTimeoutException("late");
      BackendException plain =
          assertThrows(BackendException.class, () -> openAfter(9, late, server, true));
      assertTrue(String.valueOf(plain.getMessage()).contains("without TLS"), plain::toString);
      attempts.set(0);
      IOException broken = new IOException("broken");
      assertThrows(BackendException.class, () -> openAfter(9, broken, server, false));
      assertEquals(1, attempts.get());
    }
  }

  @Test
  @DisplayName("B16: the times follow the time of a command and the number of nodes")
  void times() {
    assertEquals(Duration.ofSeconds(4), Opening.attempt(Duration.ofSeconds(1)));
    assertEquals(Duration.ofSeconds(9), Opening.attempt(Duration.ofSeconds(9)));
    assertEquals(Duration.ofSeconds(60), Opening.longest(BRIEF, 1));
    assertEquals(Duration.ofSeconds(170), Opening.longest(Duration.ofSeconds(10), 3));
  }
}
