package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A timed wait that ends much too late logs a warning with the cause. */
@Tag("L5")
class LateWaitTest extends GateFixture {
  private static final Duration WAIT = Duration.ofMillis(100);

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @BeforeEach
  void listen() {
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restore() {
    System.setErr(before);
  }

  private String log() {
    return said.toString(StandardCharsets.UTF_8);
  }

  private AskedCommand tries() {
    attempt = a.does(() -> lock.tryLock(WAIT));
    return store.next("acquire");
  }

  private void assertGivesUp() {
    store.next("leave").absent();
    assertFalse(GateThread.get(attempt));
  }

  private Future<Boolean> attempt = a.does(() -> false);

  @Test
  void aLateReplyIsLoggedAsTheCause() {
    AskedCommand acquire = tries();
    time.pause(Duration.ofMillis(1600));
    acquire.queued();

    assertGivesUp();

    String told = "thread A ended 1500 ms after its deadline, 1600 ms after its call";
    assertTrue(log().contains(told), log());
    assertTrue(log().contains("it was woken 0 ms after its deadline"), log());
  }

  @Test
  void aLateWakeUpIsLoggedAsTheCause() {
    tries().queued();
    time.awaitParked(a.thread());
    time.pause(Duration.ofMillis(1700));
    time.advance(Duration.ZERO);

    assertGivesUp();

    assertTrue(log().contains("it was woken 1600 ms after its deadline"), log());
  }

  @Test
  void aLockThatComesTooLateIsLoggedToo() {
    AskedCommand acquire = tries();
    time.pause(Duration.ofMillis(1600));
    acquire.held();

    assertTrue(GateThread.get(attempt));
    assertTrue(log().contains("1500 ms after its deadline"), log());
  }

  @Test
  void aWaitThatEndsInTimeSaysNothing() {
    tries().queued();
    time.awaitParked(a.thread());
    time.advance(WAIT);

    assertGivesUp();

    assertEquals("", log());
  }
}
