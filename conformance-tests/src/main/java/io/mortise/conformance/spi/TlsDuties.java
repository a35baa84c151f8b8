package io.mortise.conformance.spi;

import static io.mortise.conformance.spi.FaultDuties.SLACK;
import static io.mortise.conformance.spi.FaultDuties.failsInTime;
import static io.mortise.conformance.spi.FaultDuties.within;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.TlsServer;
import io.mortise.conformance.support.Crew;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a backend does over TLS while the server is frozen. With TLS, closing a link needs a
 * dialogue.
 */
abstract class TlsDuties extends Duties {
  private static final String SECRET = "Wort-99";

  /** More than the slack, so that a test notices two waits. */
  private static final Duration TIMEOUT_OF_A_CALL = SLACK.multipliedBy(2);

  private static final String SLOW = "local n = 0 for i = 1, 300000 do n = n + i end return {n}";

  private TlsServer tls;
  private LockBackend backend;

  TlsDuties(RedisBackendConformance suite) {
    super(suite);
  }

  @BeforeEach
  void startServer() {
    assumeTrue(suite().provider().schemes().contains("rediss"), "the backend knows no TLS");
    assumeTrue(TlsServer.isPossible(), "there is no openssl");
    tls = TlsServer.start(SECRET);
    tls.trust();
    backend = open(tls.uri(SECRET, "127.0.0.1"));
  }

  @AfterEach
  void stopServer() {
    if (tls != null) {
      tls.close();
    }
  }

  /** Opens as many connections as the backend ever uses. */
  private void useAllConnections() throws InterruptedException {
    Crew.run(16, number -> backend.execute(run(SLOW, List.of())));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B1", "B3"})
  @DisplayName("B3: over TLS too a call to a frozen server ends in time; UNKNOWN, for it was sent")
  void aFrozenServer(Way way) {
    way.call(backend, echo("x"));
    tls.server().pause();
    ScriptCall call = within(TIMEOUT_OF_A_CALL, increment(name("n")));
    BackendException error = failsInTime(call, () -> way.call(backend, call));
    assertEquals(Outcome.UNKNOWN, error.outcome(), error::toString);
    tls.server().resume();
    FaultDuties.awaitWorking(backend);
  }

  @Test
  @Rule({"B1", "B3"})
  @DisplayName("B3: over TLS too many calls at once to a frozen server all end in time")
  void manyCallsToAFrozenServer() throws InterruptedException {
    useAllConnections();
    tls.server().pause();
    ScriptCall call = within(TIMEOUT_OF_A_CALL, increment(name("n")));
    Crew.run(24, number -> failsInTime(call, () -> Way.turn(number).call(backend, call)));
    tls.server().resume();
    FaultDuties.awaitWorking(backend);
  }

  @Test
  @Rule({"B11", "B13"})
  @DisplayName("B13: over TLS a silent link is found within seconds, however many links there are")
  void aSilentLink() throws InterruptedException {
    useAllConnections();
    Recorder recorder = new Recorder();
    backend.subscribe(name("channel"), recorder);
    recorder.awaitSigns("+");
    tls.server().pause();
    recorder.awaitSigns("+-", Duration.ofSeconds(10));
    tls.server().resume();
    recorder.awaitSigns("+-+");
  }

  @Test
  @Rule("B17")
  @DisplayName("B17: over TLS close does not wait for a frozen server")
  void closeWithAFrozenServer() throws InterruptedException {
    useAllConnections();
    tls.server().pause();
    long start = System.nanoTime();
    backend.close();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    tls.server().resume();
    assertTrue(took.compareTo(SLACK.multipliedBy(2)) < 0, () -> "closing took " + took);
  }
}
