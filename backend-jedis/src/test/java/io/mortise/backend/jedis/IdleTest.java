package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertTook;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.await;
import static io.mortise.backend.jedis.Fixture.echo;
import static io.mortise.backend.jedis.Fixture.runsThread;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.net.URI;
import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

/** A backend with a subscription and without calls. */
class IdleTest {
  private static final Duration BEAT = Duration.ofMillis(150);

  /** Several periods of the timer. */
  private static final Duration QUIET = BEAT.multipliedBy(5);

  private final Recorder recorder = new Recorder();
  private RedisServer server;
  private TcpProxy proxy;
  private LockBackend backend;

  private static LockBackend backend(URI uri) {
    HostAndPort address = new HostAndPort(uri.getHost(), uri.getPort());
    ConnectionPool pool =
        new ConnectionPool(address, DefaultJedisClientConfig.builder().resp3().build());
    return new JedisBackend(pool, uri.toString(), BEAT, pool::close);
  }

  @BeforeEach
  void subscribe() {
    server = RedisServer.start();
    proxy = TcpProxy.to(server);
    backend = backend(proxy.uri());
    backend.subscribe("channel", recorder);
    recorder.await(1);
  }

  @AfterEach
  void close() {
    backend.close();
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
      assertWorks(backend);
      String after = atRest();
      assertNotEquals(pings(before), pings(after));
      Thread.sleep(QUIET.toMillis());
      assertEquals(after, received());
    }
    assertEquals(1L, server.command("PUBLISH", "channel", "hello"));
    await("the message arrives", () -> recorder.events.contains("hello"));
  }

  private static String pings(String received) {
    return received.replaceAll(".*(cmdstat_ping:calls=\\d+).*", "$1");
  }

  @Test
  @DisplayName("B13: a link that went silent during a rest is found after the first call")
  void aLinkThatWentSilentWhileIdle() throws Throwable {
    assertWorks(backend);
    atRest();
    int before = recorder.events.size();
    proxy.stall();
    Thread.sleep(QUIET.toMillis());
    assertEquals(before, recorder.events.size(), recorder.events::toString);
    assertFails(Outcome.UNKNOWN, backend.executeAsync(echo("x", Duration.ofSeconds(1))));
    assertTook(BEAT.multipliedBy(20), () -> recorder.await(before + 1));
    proxy.cut();
    proxy.resume();
    recorder.await(before + 2);
  }

  @Test
  @DisplayName("B17, B19: closing on a silent link leaves no thread")
  void closingOnASilentLink() throws InterruptedException {
    atRest();
    proxy.stall();
    backend.close();
    await("the reader has ended", () -> !runsThread("mortise-jedis-reader"));
    await("the writer has ended", () -> !runsThread("mortise-jedis-writer"));
  }

  @Test
  @DisplayName("B25: a connection rests from its last reply on, also behind a command")
  void theRestBeginsAtTheReply() throws Exception {
    HostAndPort address = new HostAndPort(server.uri().getHost(), server.uri().getPort());
    try (ConnectionPool pool =
            new ConnectionPool(address, DefaultJedisClientConfig.builder().build());
        JedisBackend asks = new JedisBackend(pool, null, BEAT, () -> {})) {
      for (int i = 0; i < 500; i++) {
        asks.ask(Duration.ofSeconds(5), "PING");
        assertEquals(0, pool.getNumActive(), "after command " + i);
      }
    }
  }
}
