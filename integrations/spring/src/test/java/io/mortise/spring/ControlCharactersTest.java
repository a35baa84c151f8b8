package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.spring.WithLockSettings.InTransaction;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The names of locks and threads may come from requests, and each message has one line. */
class ControlCharactersTest {
  private static final String NAME = "order\n2026-11-28 ERROR forged";
  private static final String SHOWN = "order\\u000a2026-11-28 ERROR forged";

  private final String uri = "memory:" + UUID.randomUUID();
  private final LockService locks = LockService.open(uri);
  private final LockService elsewhere = LockService.open(uri);
  private final LockTemplate template =
      new LockTemplate(
          locks,
          new WithLockSettings(Duration.ZERO, InTransaction.FAIL, WithLockSettings.DEFAULT_ORDER));
  private final String thread = Thread.currentThread().getName();

  @BeforeEach
  void forge() {
    Thread.currentThread().setName(NAME);
  }

  @AfterEach
  void close() {
    Thread.currentThread().setName(thread);
    elsewhere.close();
    locks.close();
  }

  private static void shows(String begin, Executable call) {
    String message = String.valueOf(assertThrows(RuntimeException.class, call).getMessage());
    assertTrue(message.startsWith(begin), message);
  }

  @Test
  void theContextShowsNamesOnOneLine() {
    shows(
        "thread %s does not work under lock '%s' here".formatted(SHOWN, SHOWN),
        () -> LockContext.ensureHeld(NAME));
    shows("thread %s does not work under a lock".formatted(SHOWN), LockContext::ensureHeld);
  }

  @Test
  void theTemplateShowsNamesOnOneLine() {
    shows(
        "the work under lock '%s' returned a ".formatted(SHOWN),
        () -> template.execute(NAME, CompletableFuture::new));
    elsewhere.getLock(NAME).lock();
    shows("lock '%s' was busy".formatted(SHOWN), () -> template.execute(NAME, () -> 1));
  }

  @Test
  void aSemaphoreIsShownOnOneLine() {
    PermitTarget target = new PermitTarget(locks.getSemaphore(NAME), new Permits(1, 1));
    assertEquals("semaphore '%s'".formatted(SHOWN), target.text());
  }
}
