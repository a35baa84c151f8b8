package io.mortise.backend.lettuce;

import static io.mortise.backend.lettuce.Fixture.count;
import static io.mortise.backend.lettuce.Fixture.failure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.mortise.backend.support.RedisServers;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.netty.util.Timeout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A backend with a subscription and without calls. */
final class IdleTest {
  private static final Duration BEAT = Duration.ofMillis(300);

  /** Several periods of the timer. */
  private static final Duration QUIET = BEAT.multipliedBy(5);

  private final Recorder recorder = new Recorder();
  private RedisServer server;
  private TcpProxy proxy;
  private RedisClient client;
  private LockBackend backend;

  @BeforeEach
  void subscribe() {
    server = RedisServer.start();
    proxy = TcpProxy.to(server);
    client = Fixture.rejectingClient();
    RedisURI uri = RedisURI.create(proxy.uri());
    backend = LettuceBackendProvider.connect(own(client), uri, BEAT, RedisServers::usable);
    backend.subscribe("channel", recorder);
    recorder.await("subscribed");
  }

  private static OwnClient own(RedisClient client) {
    return SharedThreads.of(client.getResources()).client(client.getOptions());
  }

  @AfterEach
  void close() {
    backend.close();
    client.close();
    proxy.close();
    server.close();
  }

  /** The server's count of received commands, by command. */
  private String received() {
    return String.valueOf(server.command("INFO", "commandstats"))
        .lines()
        .filter(line -> !line.startsWith("cmdstat_info"))
        .map(line -> line.replaceAll(",.*", ""))
        .sorted()
        .collect(Collectors.joining(" "));
  }

  private static String pings(String received) {
    return received.replaceAll(".*(cmdstat_ping:calls=\\d+).*", "$1");
  }

  /** That count, once it no longer changes. */
  private String atRest() throws InterruptedException {
    String last = "";
    for (int i = 0; i < 20 && !last.equals(received()); i++) {
      last = received();
      Thread.sleep(QUIET.toMillis());
    }
    return last;
  }

  @Test
  @DisplayName("B13: it sends PING while it is used, and nothing at all when it is idle")
  void anIdleBackendSendsNothing() throws InterruptedException {
    for (int round = 0; round < 2; round++) {
      String before = received();
      backend.execute(count("k"));
      String after = atRest();
      assertNotEquals(pings(before), pings(after));
      Thread.sleep(QUIET.toMillis());
      assertEquals(after, received());
    }
    server.command("PUBLISH", "channel", "hello");
    recorder.await("hello");
  }

  @Test
  @DisplayName("B13: a link that went silent during a rest is found after the first call")
  void aLinkThatWentSilentWhileIdle() throws Exception {
    atRest();
    List<String> before = recorder.events();
    proxy.stall();
    Thread.sleep(QUIET.toMillis());
    assertEquals(before, recorder.events());
    long start = System.nanoTime();
    assertEquals(Outcome.UNKNOWN, failure(backend.executeAsync(count("k", BEAT))).outcome());
    Fixture.await("the gap is reported", () -> recorder.events().size() > before.size());
    assertTrue(Fixture.since(start).compareTo(BEAT.multipliedBy(10)) < 0);
    proxy.cut();
    proxy.resume();
    Fixture.await("the gap has ended", () -> recorder.events().size() > before.size() + 1);
  }

  @Test
  @DisplayName("The backend's own client has no ticking timer")
  void nothingTicks() {
    long others = timers();
    try (LockBackend own = Fixture.open(server.uri())) {
      own.execute(count("k"));
      assertEquals(others, timers());
    }
  }

  private static long timers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("lettuce-timer"))
        .count();
  }

  @Test
  @DisplayName("The timer runs a task once, at its time, and not if it was cancelled")
  void theTimer() throws InterruptedException {
    Semaphore runs = new Semaphore(0);
    ScheduledNettyTimer timer = new ScheduledNettyTimer();
    Timeout cancelled = timer.newTimeout(t -> runs.release(5), 2_000, TimeUnit.MILLISECONDS);
    Timeout expiring = timer.newTimeout(t -> runs.release(), 2_200, TimeUnit.MILLISECONDS);
    assertTrue(cancelled.cancel());
    assertFalse(expiring.isExpired());
    assertTrue(runs.tryAcquire(20, TimeUnit.SECONDS));
    assertTrue(expiring.isExpired());
    assertFalse(expiring.cancel());
    assertTrue(cancelled.isCancelled());
    assertFalse(cancelled.isExpired());
    assertEquals(0, runs.drainPermits()); // the time of the cancelled one came before
  }

  @Test
  @DisplayName("The timer runs nothing after it was stopped")
  void theStoppedTimer() throws InterruptedException {
    Duration delay = Duration.ofMillis(200);
    for (int i = 0; i < 50; i++) {
      Semaphore runs = new Semaphore(0);
      ScheduledNettyTimer timer = new ScheduledNettyTimer();
      long start = System.nanoTime();
      timer.newTimeout(t -> runs.release(), delay.toMillis(), TimeUnit.MILLISECONDS);
      timer.stop();
      if (Fixture.since(start).compareTo(delay) < 0) { // it was stopped in time, so this counts
        assertFalse(runs.tryAcquire(500, TimeUnit.MILLISECONDS));
        return;
      }
    }
    fail("no timer was stopped within " + delay);
  }
}
