package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.ScriptCall.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PendingCallTest {
  private static final Script SCRIPT = Script.of("take", "return {1}");

  private static ScriptCall script(Duration timeout) {
    return new ScriptCall(SCRIPT, List.of("k"), List.of(), timeout);
  }

  private static PendingCall call(Duration timeout) {
    return new PendingCall(script(timeout), "here");
  }

  private static BackendException failure(PendingCall call) {
    return assertThrows(BackendException.class, () -> Waits.await(call));
  }

  @Test
  @DisplayName("B1, B2: a call that fails before it is sent is not executed, and is not sent later")
  void unsent() {
    PendingCall call = call(Duration.ofSeconds(9));
    call.fail(new IOException("no connection"));
    call.fail(new IOException("once more, by another thread"));

    assertEquals(Outcome.NOT_EXECUTED, failure(call).outcome());
    assertEquals("here: take was not sent: no connection", failure(call).getMessage());
    assertFalse(call.sending());
  }

  @Test
  @DisplayName("B1: a call that fails after it was sent is unknown")
  void sent() {
    PendingCall call = call(Duration.ofSeconds(9));
    assertTrue(call.sending());
    assertFalse(call.sending());
    call.fail(new IOException("cut"));

    assertEquals(Outcome.UNKNOWN, failure(call).outcome());
    assertEquals("here: take was not answered: cut", failure(call).getMessage());
  }

  private static PendingCall impatient(boolean interruptible) {
    Patience patience = new Patience(Duration.ofMillis(50), interruptible);
    return new PendingCall(script(Duration.ofMinutes(1)).withPatience(patience), "here");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("B3: the caller's patience ends a call that was not sent, and it is not sent later")
  void patienceEndsAnUnsentCall(boolean interruptible) {
    PendingCall call = impatient(interruptible);
    BackendException failure = assertThrows(BackendException.class, call::awaitReply);

    assertEquals(Outcome.NOT_EXECUTED, failure.outcome());
    assertEquals("here: take was not sent: no connection was ready in time", failure.getMessage());
    assertFalse(call.sending());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("B3, B4: neither patience nor an interrupt ends a call that was sent")
  void aSentCallIsWaitedFor(boolean interruptible) {
    PendingCall call = impatient(interruptible);
    assertTrue(call.sending());
    Thread.currentThread().interrupt();
    CompletableFuture<?> reply =
        CompletableFuture.runAsync(
            () -> call.answer(1L), CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));

    assertEquals(List.of(1L), call.awaitReply());
    assertTrue(Thread.interrupted());
    reply.join();
  }

  @Test
  @DisplayName("B4: an interrupt ends a call that was not sent only if the caller wants that")
  void anInterruptEndsAnUnsentCall() {
    Patience patience = new Patience(Duration.ofMinutes(1), true);
    PendingCall call =
        new PendingCall(script(Duration.ofMinutes(1)).withPatience(patience), "here");
    Thread.currentThread().interrupt();
    BackendException failure = assertThrows(BackendException.class, call::awaitReply);

    assertTrue(Thread.interrupted());
    assertEquals(Outcome.NOT_EXECUTED, failure.outcome());
    PendingCall other = call(Duration.ofMillis(100));
    other.limit();
    Thread.currentThread().interrupt();
    assertThrows(BackendException.class, other::awaitReply);
    assertTrue(Thread.interrupted());
    assertEquals("here: take was not sent: waited for PT0.1S", failure(other).getMessage());
  }

  @Test
  @DisplayName(
      "B1: on close, calls that were not sent are not executed, and sent calls are unknown")
  void closedMeanwhile() {
    BackendException closed = new BackendException(Outcome.NOT_EXECUTED, "it is closed", null);
    PendingCall unsent = call(Duration.ofSeconds(9));
    unsent.fail(closed);
    PendingCall sent = call(Duration.ofSeconds(9));
    assertTrue(sent.sending());
    sent.fail(closed);

    assertEquals(Outcome.NOT_EXECUTED, failure(unsent).outcome());
    assertEquals(Outcome.UNKNOWN, failure(sent).outcome());
  }

  @Test
  @DisplayName("B7: after NOSCRIPT it may be sent once more, and until then it has not run")
  void sentAgain() {
    PendingCall call = call(Duration.ofSeconds(9));
    assertTrue(call.sending());
    assertEquals(List.of("EVALSHA", SCRIPT.sha1(), "1", "k"), call.words());
    assertFalse(call.again("ERR no"));
    assertTrue(call.again("NOSCRIPT no matching script"));
    assertEquals(List.of("EVAL", SCRIPT.source(), "1", "k"), call.words());
    assertFalse(call.again("NOSCRIPT once more"));
    call.fail(new IOException("cut"));

    assertEquals(Outcome.NOT_EXECUTED, failure(call).outcome());
  }

  @Test
  @DisplayName("B1: an error of the server is reported unchanged")
  void refused() {
    PendingCall call = call(Duration.ofSeconds(9));
    assertTrue(call.sending());
    call.refuse(new IOException("WRONGTYPE no"));

    assertEquals(Outcome.REPLIED, failure(call).outcome());
    assertEquals("WRONGTYPE no", failure(call).getMessage());
  }

  @Test
  @DisplayName("B3: a call with a limit ends by itself, and the limit of a socket is never zero")
  void limited() {
    PendingCall call = call(Duration.ofMillis(20));
    call.limit();

    assertEquals(Outcome.NOT_EXECUTED, failure(call).outcome());
    assertEquals(1, call.millisLeft());
  }

  @Test
  @DisplayName("B3: each call of a batch ends at its own deadline, whatever happens to the others")
  void limitedTogether() {
    PendingCall answered = call(Duration.ofSeconds(1));
    PendingCall first = call(Duration.ofSeconds(1));
    PendingCall later = call(Duration.ofSeconds(9));
    PendingCall second = call(Duration.ofSeconds(1));
    PendingCall.limit(List.of(answered, first, later, second));
    answered.answer(List.of(1L));

    assertEquals(Outcome.NOT_EXECUTED, failure(first).outcome());
    assertEquals(Outcome.NOT_EXECUTED, failure(second).outcome());
    assertEquals(List.of(1L), answered.join());
    assertFalse(later.isDone());
  }

  @Test
  @DisplayName("B4: an interrupt does not end the wait, and the flag stays set")
  void interrupted() {
    PendingCall call = call(Duration.ofMillis(20));
    call.limit();
    Thread.currentThread().interrupt();
    failure(call);

    assertTrue(Thread.interrupted());
  }

  @Test
  @DisplayName("B3, B4: a wait without a timer ends the call at its deadline despite interrupts")
  void waitingToTheDeadline() {
    CompletableFuture<List<Object>> call =
        new CompletableFuture<>() {
          @Override
          public boolean completeExceptionally(Throwable cause) {
            return super.completeExceptionally(
                PendingCall.failure(script(Duration.ofMillis(20)), "here", true, cause));
          }
        };
    Thread.currentThread().interrupt();
    BackendException failure =
        assertThrows(BackendException.class, () -> Waits.await(call, Duration.ofMillis(20)));

    assertTrue(Thread.interrupted());
    assertEquals(Outcome.UNKNOWN, failure.outcome());
    assertEquals("here: take was not answered: waited for PT0.02S", failure.getMessage());
    assertEquals(
        List.of(1L), Waits.await(CompletableFuture.completedFuture(List.of(1L)), Duration.ZERO));
  }
}
