package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Shared parts of the groups with faults: a server and a link for each test alone. */
abstract class FaultDuties extends Duties {
  /** The timeout of a call that gets no answer. */
  static final Duration BRIEF = Duration.ofMillis(500);

  /** How late a call may end after its timeout on a busy machine. */
  static final Duration SLACK = Duration.ofSeconds(2);

  RedisServer server;
  TcpProxy proxy;

  FaultDuties(RedisBackendConformance suite) {
    super(suite);
  }

  @BeforeEach
  void startServer() {
    server = RedisServer.start();
    proxy = TcpProxy.to(server);
  }

  @AfterEach
  void stopServer() {
    // Backends are closed later, and must tolerate that their server is gone.
    proxy.close();
    server.close();
  }

  /** A backend on the server. It was used once, so that it is connected. */
  final LockBackend direct() {
    return used(open(server.uri()));
  }

  /** A backend that connects through the proxy. */
  final LockBackend viaProxy() {
    return used(open(proxy.uri()));
  }

  private static LockBackend used(LockBackend backend) {
    assertEquals(List.of("used"), backend.execute(echo("used")));
    return backend;
  }

  static ScriptCall brief(ScriptCall call) {
    return within(BRIEF, call);
  }

  static ScriptCall within(Duration timeout, ScriptCall call) {
    return call.withTimeout(timeout);
  }

  /** How often the increments of this key ran, as counted by the server. */
  final long count(String key) {
    Object value = server.command("GET", key);
    return value == null ? 0 : Long.parseLong(value.toString());
  }

  /** Runs a call that must fail within its timeout (B3). */
  static BackendException failsInTime(ScriptCall call, Callable<?> task) {
    long start = System.nanoTime();
    BackendException error = assertThrows(BackendException.class, task::call);
    assertInTime(start, call);
    return error;
  }

  static void assertInTime(long start, ScriptCall call) {
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(
        took.compareTo(call.timeout().plus(SLACK)) <= 0,
        () -> "B3: a call with timeout " + call.timeout() + " took " + took);
  }

  /** Waits until the same backend works again. */
  static void awaitWorking(LockBackend backend) {
    Await.until("the backend works again", () -> works(backend));
  }

  static boolean works(LockBackend backend) {
    try {
      return backend.execute(within(Duration.ofSeconds(1), echo("works"))).equals(List.of("works"));
    } catch (BackendException e) {
      return false;
    }
  }

  /**
   * Gives queued commands the time to run. The test uses the backend, and then time passes, because
   * a test cannot wait for the absence of an event.
   */
  static void settle(LockBackend backend) throws InterruptedException {
    awaitWorking(backend);
    for (int i = 0; i < 20; i++) {
      backend.execute(echo("settle"));
    }
    Thread.sleep(700);
  }
}
