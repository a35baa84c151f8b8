package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.TcpProxy.Direction;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What calls do on links that are slow, or have rested. */
abstract class FarDuties extends FaultDuties {
  /** The time of a call to a server that is far. */
  private static final Duration LIMIT = Duration.ofSeconds(2);

  /** Half a round trip: two round trips take longer than a call may. */
  private static final Duration ONE_WAY = Duration.ofMillis(600);

  /** More callers at once than a backend has connections. */
  private static final int CALLERS = 12;

  private final RedisBackendConformance suite;

  FarDuties(RedisBackendConformance suite) {
    super(suite);
    this.suite = suite;
  }

  @BeforeEach
  void requireFarServers() {
    assumeTrue(suite.servesFarServers(), "the backend makes connections in the time of calls");
  }

  private void becomeFar(Duration oneWay) {
    proxy.delay(Direction.REQUESTS, oneWay);
    proxy.delay(Direction.REPLIES, oneWay);
  }

  /**
   * Calls until the server knows the script and the backend the distance. Until then calls fail.
   */
  private void settleFar(LockBackend backend) {
    Await.until("calls work", Duration.ofSeconds(40), () -> isAnswered(backend));
  }

  private boolean isAnswered(LockBackend backend) {
    try {
      return !backend.execute(within(LIMIT, increment(name("settle")))).isEmpty();
    } catch (BackendException e) {
      return false;
    }
  }

  /** Each of many threads calls twice, in two ways. Every call counts. */
  private Ledger callTwice(LockBackend backend, String key) throws InterruptedException {
    Ledger ledger = new Ledger(backend, name(key), LIMIT);
    Crew.run(
        CALLERS,
        number -> {
          ledger.call(number);
          ledger.call(number + 1 + CALLERS);
        });
    return ledger;
  }

  @Test
  @Rule({"B3", "B25"})
  @DisplayName("B25: if two round trips take longer than a call may, all calls are still answered")
  void aFarServer() throws InterruptedException {
    LockBackend backend = viaProxy();
    becomeFar(ONE_WAY);
    settleFar(backend);
    Ledger ledger = callTwice(backend, "n");
    assertEquals(2 * CALLERS, ledger.answered(), ledger::toString);
    ledger.assertTruthful(this::count);
  }

  @Test
  @Rule({"B3", "B25"})
  @DisplayName("B25: a lost link to a far server is made again, although that takes several calls")
  void aLostLinkToAFarServer() throws InterruptedException {
    LockBackend backend = viaProxy();
    becomeFar(ONE_WAY);
    settleFar(backend);
    proxy.cut();
    settleFar(backend);
    Ledger ledger = callTwice(backend, "n");
    assertEquals(2 * CALLERS, ledger.answered(), ledger::toString);
  }

  @Test
  @Rule({"B1", "B25"})
  @DisplayName("B25: late replies are thrown away, and not their links")
  void lateReplies() {
    LockBackend backend = viaProxy();
    becomeFar(Duration.ofMillis(400));
    long before = connectionsMade();
    for (int i = 0; i < 8; i++) {
      try {
        backend.execute(within(Duration.ofMillis(500), increment(name("n"))));
      } catch (BackendException e) {
        assertTrue(e.outcome() != Outcome.REPLIED, e::toString);
      }
    }
    long made = connectionsMade() - before - 1; // one asks for the number
    assertTrue(made <= 2, "8 late replies cost " + made + " links");
    becomeFar(Duration.ZERO);
    awaitWorking(backend);
  }

  private long connectionsMade() {
    String info = String.valueOf(server.command("INFO", "stats"));
    return info.lines()
        .filter(line -> line.startsWith("total_connections_received:"))
        .mapToLong(line -> Long.parseLong(line.split(":", 2)[1]))
        .sum();
  }

  @Test
  @Rule({"B1", "B25"})
  @DisplayName("B25: no call fails because the server closed a connection while it rested")
  void connectionsThatTheServerCloses() throws InterruptedException {
    LockBackend backend = direct();
    for (int round = 0; round < 2; round++) {
      Ledger ledger = new Ledger(backend, name("r" + round), TIMEOUT);
      ledger.callAtOnce(24);
      assertEquals(24, ledger.answered(), ledger::toString);
      String used = clients();
      server.command("CONFIG", "SET", "timeout", "1");
      Await.until("they are closed", Duration.ofSeconds(30), () -> areGone(used));
      server.command("CONFIG", "SET", "timeout", "0");
      Thread.sleep(1_000); // a client may connect again by itself, and no test can see that it will
    }
    Ledger ledger = new Ledger(backend, name("last"), TIMEOUT);
    ledger.callAtOnce(24);
    assertEquals(24, ledger.answered(), ledger::toString);
  }

  /** The ids of the connections of the backend. */
  private String clients() {
    return String.valueOf(server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> !line.contains("cmd=client"))
        .map(line -> line.split(" ", 2)[0])
        .reduce("", (all, id) -> all + ' ' + id);
  }

  private boolean areGone(String ids) {
    String now = clients() + ' ';
    return Stream.of(ids.strip().split(" ")).noneMatch(id -> now.contains(' ' + id + ' '));
  }
}
