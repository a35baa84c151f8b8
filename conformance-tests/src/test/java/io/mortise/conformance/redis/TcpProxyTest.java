package io.mortise.conformance.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.TcpProxy.Direction;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TcpProxyTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofSeconds(10);

  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  private TcpProxy proxy;

  @BeforeEach
  void open() {
    proxy = TcpProxy.to(REDIS.server());
    REDIS.server().command("DEL", "n");
  }

  @AfterEach
  void close() {
    proxy.close();
  }

  private RespConnection connect() throws IOException {
    return new RespConnection("127.0.0.1", proxy.port(), LONG);
  }

  private static @Nullable Object counter() {
    return REDIS.server().command("GET", "n");
  }

  @Test
  void passesBothWays() throws IOException {
    try (RespConnection connection = connect()) {
      assertEquals("PONG", connection.call("PING"));
      assertEquals(1, proxy.connections());
    }
  }

  @Test
  void aStalledLinkIsSilentAndLosesNothing() throws IOException {
    try (RespConnection connection = connect()) {
      proxy.stall();
      connection.timeout(SHORT);
      connection.send("INCR", "n");
      assertThrows(SocketTimeoutException.class, connection::read);
      assertEquals(null, counter());
      proxy.resume();
      connection.timeout(LONG);
      assertEquals(1L, connection.read());
    }
  }

  @Test
  void aStalledLinkHidesThatTheServerHasClosedIt() throws IOException {
    try (RespConnection connection = connect()) {
      Object id = connection.call("CLIENT", "ID");
      proxy.stall();
      REDIS.server().command("CLIENT", "KILL", "ID", String.valueOf(id));
      connection.timeout(SHORT);
      assertThrows(SocketTimeoutException.class, connection::read);
      proxy.resume();
      connection.timeout(LONG);
      IOException end = assertThrows(IOException.class, connection::read);
      assertFalse(end instanceof SocketTimeoutException, end::toString);
    }
  }

  @Test
  void aLinkStalledOneWayStillBringsRequests() throws Exception {
    try (RespConnection connection = connect()) {
      proxy.stall(Direction.REPLIES);
      connection.send("INCR", "n");
      awaitCounter("1");
      proxy.resume();
      assertEquals(1L, connection.read());
    }
  }

  @Test
  void droppedRepliesAreLostAlthoughTheCommandRan() throws Exception {
    try (RespConnection connection = connect()) {
      proxy.dropReplies();
      connection.send("INCR", "n");
      awaitCounter("1");
      connection.timeout(SHORT);
      assertThrows(SocketTimeoutException.class, connection::read);
      proxy.resume();
      connection.timeout(LONG);
      assertEquals(2L, connection.call("INCR", "n"));
    }
  }

  @Test
  void aCutLinkFailsAtOnceAndANewOneWorks() throws IOException {
    try (RespConnection connection = connect();
        RespConnection other = connect()) {
      assertEquals("PONG", connection.call("PING"));
      assertEquals("PONG", other.call("PING"));
      proxy.stall();
      proxy.cut();
      assertThrows(IOException.class, connection::read);
      assertThrows(IOException.class, other::read);
      assertEquals(0, proxy.connections());
      proxy.resume();
      try (RespConnection next = connect()) {
        assertEquals("PONG", next.call("PING"));
      }
    }
  }

  @Test
  void refusesNewConnectionsAndKeepsOpenOnes() throws IOException {
    try (RespConnection old = connect()) {
      assertEquals("PONG", old.call("PING"));
      proxy.refuse();
      assertThrows(IOException.class, () -> pingOnce());
      assertEquals("PONG", old.call("PING"));
      proxy.resume();
      pingOnce();
    }
  }

  private void pingOnce() throws IOException {
    try (RespConnection connection = connect()) {
      assertEquals("PONG", connection.call("PING"));
    }
  }

  @Test
  void delaysOneDirection() throws IOException {
    try (RespConnection connection = connect()) {
      proxy.delay(Direction.REPLIES, SHORT);
      long start = System.nanoTime();
      assertEquals("PONG", connection.call("PING"));
      assertTrue(System.nanoTime() - start >= SHORT.toNanos());
    }
  }

  @Test
  void closingBreaksConnectionsAndEndsTheThreads() throws Exception {
    try (RespConnection connection = connect()) {
      assertEquals("PONG", connection.call("PING"));
      proxy.stall();
      connection.send("PING");
      proxy.close();
      assertThrows(IOException.class, connection::read);
      String name = "mortise-proxy-" + proxy.port();
      await(() ->
          Thread.getAllStackTraces().keySet().stream()
              .noneMatch(thread -> thread.getName().startsWith(name)));
    }
  }

  @Test
  void itsPortIsFreeWhenItIsClosed() throws Exception {
    int port = proxy.port();
    for (int i = 0; i < 500; i++) {
      proxy.close();
      proxy = TcpProxy.at("127.0.0.1", port, REDIS.server());
    }
    assertEquals(0, proxy.connections());
  }

  private static void awaitCounter(String value) throws InterruptedException {
    await(() -> value.equals(counter()));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < LONG.toNanos(), "did not happen within " + LONG);
      Thread.sleep(10);
    }
  }
}
