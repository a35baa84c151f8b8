package io.mortise.backend.support.sentinel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.sentinel.FakeSet.FakeSentinel;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls and subscriptions while the backend of a new master is being opened. */
class OpeningMasterTest {
  private static final ScriptCall CALL =
      new ScriptCall(Script.of("s", "return 1"), List.of(), List.of(), Duration.ofSeconds(60));

  private final FakeSet set = new FakeSet();
  private final FakeSentinel sentinel = set.sentinelAt("s:1", "old:1", 1);
  private final SentinelRouter router =
      new SentinelRouter(
          set, SentinelAddress.of(URI.create("redis-sentinel://s:1#m")), Duration.ofSeconds(5));

  @AfterEach
  void close() {
    router.close();
  }

  private static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      boolean late = System.nanoTime() - start > Duration.ofSeconds(20).toNanos();
      assertFalse(late, () -> "timed out waiting until " + what);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private boolean works() {
    try {
      router.execute(CALL);
      return true;
    } catch (BackendException e) {
      return false;
    }
  }

  private void nameAnother() {
    sentinel.names("new:1", 2, "master");
    sentinel.tells();
    await("the old one is closed", () -> set.at("old:1").closed);
  }

  /** Another master is named, which opens when this latch is down. */
  private CountDownLatch beginToOpen() {
    CountDownLatch gate = new CountDownLatch(1);
    set.gates.put("new:1", gate);
    nameAnother();
    return gate;
  }

  @Test
  @DisplayName("B5: an error of a master that was just opened ends the call, whose outcome is open")
  void anErrorOfAMaster() {
    set.nextIsWeak = true;
    CountDownLatch gate = beginToOpen();
    CompletableFuture<List<Object>> reply = router.executeAsync(CALL);
    assertFalse(reply.isDone());
    gate.countDown();
    CompletionException failure = assertThrows(CompletionException.class, reply::join);
    BackendException error = assertInstanceOf(BackendException.class, failure.getCause());
    assertEquals(Outcome.UNKNOWN, error.outcome(), error::toString);
  }

  private static ChannelListener signs(List<String> heard) {
    return new ChannelListener() {
      @Override
      public void onSubscribed() {
        heard.add("+");
      }

      @Override
      public void onInterrupted(Throwable cause) {
        heard.add("-");
      }

      @Override
      public void onMessage(String message) {}
    };
  }

  @Test
  @DisplayName("B11: a channel that is subscribed to after the opening has failed is told so")
  void aSubscriptionWithoutAMaster() {
    set.down.add("new:1");
    nameAnother();
    await("the opening has failed", () -> !works());
    LockSupport.parkNanos(Duration.ofMillis(300).toNanos()); // the next attempt has failed too
    List<String> heard = new CopyOnWriteArrayList<>();
    router.subscribe("c", signs(heard));
    await("it is told", () -> heard.equals(List.of("-")));
    set.down.remove("new:1");
    await("the new master is open", this::works);
    await("the gap is over", () -> heard.equals(List.of("-", "+")));
  }

  private BackendException impatient(Duration longest, Runnable before) {
    CountDownLatch gate = beginToOpen();
    ScriptCall call = CALL.withPatience(new ScriptCall.Patience(longest, true));
    before.run();
    long start = System.nanoTime();
    BackendException error = assertThrows(BackendException.class, () -> router.execute(call));
    assertTrue(System.nanoTime() - start < 20_000_000_000L, "it waited for its timeout");
    assertEquals(Outcome.NOT_EXECUTED, error.outcome(), error::toString);
    gate.countDown();
    return error;
  }

  @Test
  @DisplayName(
      "B3: a call waits for the opening of a master no longer than its caller has patience")
  void patience() {
    String message = String.valueOf(impatient(Duration.ofMillis(50), () -> {}).getMessage());
    assertTrue(message.contains("no connection was ready in time"), message);
  }

  @Test
  @DisplayName("B4: an interrupt ends the wait for the opening of a master, and stays set")
  void interruptedPatience() {
    String message =
        String.valueOf(
            impatient(Duration.ofSeconds(60), Thread.currentThread()::interrupt).getMessage());
    assertTrue(Thread.interrupted());
    assertTrue(message.contains("its thread was interrupted"), message);
  }
}
