package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What listeners hear when the link of their subscription breaks. */
abstract class GapDuties extends FaultDuties {
  /** The time within which a half-open link must be found. */
  private static final Duration HALF_OPEN = Duration.ofSeconds(30);

  GapDuties(RedisBackendConformance suite) {
    super(suite);
  }

  private Recorder subscribed(LockBackend backend) {
    Recorder recorder = new Recorder();
    backend.subscribe(name("channel"), recorder);
    recorder.awaitSigns("+");
    return recorder;
  }

  /** Checks that messages arrive again. The server publishes them itself, so calls play no part. */
  private void assertFlows(Recorder recorder, String message) {
    server.command("PUBLISH", name("channel"), message);
    recorder.awaitMessage(message);
    assertFalse(recorder.overlapped(), "B12: two threads were in the listener at once");
  }

  @Test
  @Rule("B11")
  @DisplayName("B11: after CLIENT KILL: interrupted once, subscribed, messages flow; each time")
  void aKilledConnection() {
    Recorder recorder = subscribed(direct());
    String signs = "+";
    for (int i = 0; i < 3; i++) {
      assertEquals(1L, server.command("CLIENT", "KILL", "TYPE", "pubsub"));
      signs += "-+";
      recorder.awaitSigns(signs);
      assertFlows(recorder, "after" + i);
    }
    assertEquals("+-+-+-+", recorder.signs());
  }

  @Test
  @Rule("B11")
  @DisplayName("B11: a gap of many failed attempts is one gap; it ends with a restarted server")
  void aRestartedServer() throws InterruptedException {
    LockBackend backend = direct();
    Recorder recorder = subscribed(backend);
    server.kill();
    recorder.awaitSigns("+-");
    // Attempts fail meanwhile, and must not be reported.
    Thread.sleep(2_500);
    server.restart();
    recorder.awaitSigns("+-+");
    assertFlows(recorder, "after");
    assertEquals(List.of("+", "-", "+", "after"), recorder.events());
  }

  @Test
  @Rule("B11")
  @DisplayName("B11: after a cut and a time without a link the subscription is back")
  void aCutLink() throws InterruptedException {
    Recorder recorder = subscribed(viaProxy());
    proxy.refuse();
    proxy.cut();
    recorder.awaitSigns("+-");
    Thread.sleep(1_000);
    proxy.resume();
    recorder.awaitSigns("+-+");
    assertFlows(recorder, "after");
  }

  @Test
  @Rule({"B5", "B11"})
  @DisplayName("B11: subscribing without a link returns at once: interrupted once, then subscribed")
  void subscribingWithoutALink() throws InterruptedException {
    LockBackend backend = viaProxy();
    proxy.refuse();
    proxy.cut();
    Recorder recorder = new Recorder();
    assertReturnsAtOnce(() -> backend.subscribe(name("channel"), recorder));
    recorder.awaitSigns("-");
    Thread.sleep(1_000);
    proxy.resume();
    recorder.awaitSigns("-+");
    assertFlows(recorder, "after");
  }

  @Test
  @Rule("B11")
  @DisplayName("B11: subscribing to a frozen server returns at once; the confirmation comes later")
  void subscribingToAFrozenServer() {
    LockBackend backend = direct();
    server.pause();
    Recorder recorder = new Recorder();
    assertReturnsAtOnce(() -> backend.subscribe(name("channel"), recorder));
    assertFalse(recorder.signs().contains("+"), "the server cannot have confirmed");
    server.resume();
    Await.until("subscribed", () -> recorder.signs().endsWith("+"));
    assertFlows(recorder, "after");
  }

  private static void assertReturnsAtOnce(Runnable task) {
    long start = System.nanoTime();
    task.run();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(SLACK) < 0, () -> "it took " + took);
  }

  @Test
  @Rule("B13")
  @DisplayName("B13: a subscription whose peer is silently gone is found; a quiet one is no gap")
  void aHalfOpenLink() {
    Recorder recorder = subscribed(viaProxy());
    Recorder quiet = subscribed(direct());
    proxy.stall();
    recorder.awaitSigns("+-", HALF_OPEN);
    proxy.cut();
    proxy.resume();
    recorder.awaitSigns("+-+");
    assertFlows(recorder, "after");
    assertFlows(quiet, "later");
    assertEquals("+", quiet.signs());
  }

  @Test
  @Rule({"B11", "B19"})
  @DisplayName("B19: many channels share one connection, and all come back after a gap")
  void manyChannels() {
    LockBackend backend = direct();
    List<Recorder> recorders = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Recorder recorder = new Recorder();
      backend.subscribe(name("channel" + i), recorder);
      recorders.add(recorder);
    }
    recorders.forEach(recorder -> recorder.awaitSigns("+"));
    assertEquals(1L, server.command("CLIENT", "KILL", "TYPE", "pubsub"));
    for (int i = 0; i < 50; i++) {
      recorders.get(i).awaitSigns("+-+");
      server.command("PUBLISH", name("channel" + i), "for" + i);
      recorders.get(i).awaitMessage("for" + i);
    }
  }

  @Test
  @Rule("B15")
  @DisplayName("B15: a subscription closed during a gap stays closed, and others come back")
  void closedDuringAGap() {
    LockBackend backend = viaProxy();
    Recorder closed = new Recorder();
    Subscription closing = backend.subscribe(name("channel"), closed);
    Recorder kept = subscribed(backend);
    closed.awaitSigns("+");
    proxy.refuse();
    proxy.cut();
    kept.awaitSigns("+-");
    closed.awaitSigns("+-");
    closing.close();
    proxy.resume();
    kept.awaitSigns("+-+");
    assertFlows(kept, "after");
    assertEquals(List.of("+", "-"), closed.events());
  }

  @Test
  @Rule({"B12", "B15"})
  @DisplayName(
      "B15: after reconnects no closed channel comes back, and no channel comes back twice")
  void nothingPilesUpByReconnects() {
    LockBackend backend = direct();
    Recorder kept = subscribed(backend);
    String signs = "+";
    for (int i = 0; i < 5; i++) {
      Recorder visitor = new Recorder();
      Subscription visit = backend.subscribe(name("visited" + i), visitor);
      Subscription same = backend.subscribe(name("channel"), new Recorder());
      visitor.awaitSigns("+");
      assertEquals(1L, server.command("CLIENT", "KILL", "TYPE", "pubsub"));
      signs += "-+";
      kept.awaitSigns(signs);
      visitor.awaitSigns("+-+");
      visit.close();
      same.close();
    }
    Object only = List.of(name("channel"));
    Await.until("one channel", () -> only.equals(server.command("PUBSUB", "CHANNELS")));
    assertFlows(kept, "first");
    assertFlows(kept, "last");
    assertEquals(List.of("first", "last"), kept.messages());
  }

  @Test
  @Rule({"B15", "B17"})
  @DisplayName("B17: a backend closed during a gap ends in time and makes no further attempt")
  void backendClosedDuringAGap() throws InterruptedException {
    LockBackend backend = viaProxy();
    Recorder recorder = subscribed(backend);
    proxy.refuse();
    proxy.cut();
    recorder.awaitSigns("+-");
    assertReturnsAtOnce(backend::close);
    List<String> seen = recorder.events();
    proxy.resume();
    // A test cannot wait for the absence of a connection.
    Thread.sleep(1_500);
    assertEquals(0, proxy.connections());
    assertEquals(seen, recorder.events());
  }
}
