package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockServiceClosedException;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Either the thread that hears of a grant has the command, or the agent. */
@Tag("L10")
class ConfirmationTest {
  private final List<Long> sent = new ArrayList<>();
  private final CompletableFuture<List<Object>> answer = new CompletableFuture<>();
  private int wakes;

  private final Confirmation confirmation =
      new Confirmation(
          sentAt -> {
            sent.add(sentAt);
            return answer;
          },
          () -> wakes++);

  @Test
  void theFirstMessageSendsIt() {
    assertTrue(confirmation.begin(5));
    assertFalse(confirmation.begin(6));

    assertFalse(confirmation.takeBack());
    assertEquals(5, confirmation.sentAt());
    assertEquals(List.of(5L), sent);
    assertEquals(0, wakes);
    answer.complete(List.of(2L));
    assertEquals(List.of(2L), confirmation.reply().join());
    assertEquals(1, wakes);
  }

  @Test
  void whatWasTakenBackIsNotSent() {
    assertTrue(confirmation.takeBack());

    assertFalse(confirmation.begin(5));

    assertEquals(List.of(), sent);
  }

  @Test
  void aFailureWakesTheAgent() {
    assertTrue(confirmation.begin(5));
    BackendException failure = new BackendException(Outcome.UNKNOWN, "no answer", null);

    answer.completeExceptionally(failure);

    assertSame(failure, Futures.failure(confirmation.reply()));
    assertEquals(1, wakes);
  }

  @Test
  @Tag("L17")
  void aClosedServiceFailsItOnTheAgentsThread() {
    assertAgentHears(new LockServiceClosedException("closed"));
  }

  @Test
  void anyOtherFailureToSendItWakesTheAgentToo() {
    assertAgentHears(new IllegalStateException("a backend's defect"));
  }

  private void assertAgentHears(RuntimeException thrown) {
    Confirmation refused =
        new Confirmation(
            sentAt -> {
              throw thrown;
            },
            () -> wakes++);

    assertTrue(refused.begin(5));

    assertFalse(refused.takeBack());
    assertSame(thrown, Futures.failure(refused.reply()));
    assertEquals(1, wakes);
  }
}
