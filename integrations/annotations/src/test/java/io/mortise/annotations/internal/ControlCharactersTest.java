package io.mortise.annotations.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.annotations.internal.LockTerms.Handle;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The names of locks and threads may come from requests, and each message has one line. */
class ControlCharactersTest {
  private static final String NAME = "order\n2026-11-28 ERROR forged";
  private static final String SHOWN = "order\\u000a2026-11-28 ERROR forged";

  private final LockService locks = LockService.open("memory:shown");
  private final LockTerms terms = new LockTerms(Handle.PLAIN, null, Duration.ZERO, false, false);
  private final LockTarget target = terms.target(locks, List.of(NAME));

  @AfterEach
  void close() {
    locks.close();
  }

  @Test
  void whatIsHeldIsShownOnOneLine() {
    assertEquals("lock '" + SHOWN + "'", target.text());
    assertEquals("lock '[b, " + SHOWN + "]'", terms.target(locks, List.of(NAME, "b")).text());
  }

  @Test
  void aThreadThatWouldWaitForItselfIsShownOnOneLine() throws InterruptedException {
    CompletableFuture<String> message = new CompletableFuture<>();
    Runnable nested =
        () -> {
          locks.getLock(NAME).lock();
          var refused =
              assertThrows(IllegalStateException.class, () -> WorkHold.requireOutside(target));
          message.complete(String.valueOf(refused.getMessage()));
        };
    Thread forged = new Thread(nested, NAME);
    forged.start();
    String text = Await.value(message);
    assertTrue(
        text.startsWith("lock '%s' is held for work of thread %s, ".formatted(SHOWN, SHOWN)), text);
    forged.join();
  }

  @Test
  void aThreadThatEndsTheTransactionOfAnotherIsShownOnOneLine() throws InterruptedException {
    try (LogCapture log = LogCapture.start();
        ThreadScope hold = Objects.requireNonNull(target.hold(terms))) {
      Thread one = new Thread(() -> {}, NAME);
      Thread other = new Thread(() -> {}, NAME + 2);
      hold.transactionEndedBy(one, other, true);
      String line = log.lines("stays held").get(0);
      for (String part : List.of("lock '" + SHOWN, "by thread " + SHOWN, "only thread " + SHOWN)) {
        assertTrue(line.contains(part), line);
      }
    }
  }
}
