package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** An opening that Lettuce refused without the server's words. */
class UnexplainedTest {
  private static final String GONE =
      "redis://h:1/1 cannot be used: RedisHandshakeHandler not registered; check host";
  private static final String CLOSED =
      "redis://h:1/1 cannot be used: Connection disconnected; check host";
  private static final String UNCONNECTED =
      "redis://h:1/1 cannot be used: Currently not connected. Commands are rejected.; check host";
  private static final String REFUSED =
      "redis://h:1/1 cannot be used: NOPERM this user has no permissions to run the 'select' command";

  private static String attempts(String... failures) {
    Queue<String> next = new ArrayDeque<>(List.of(failures));
    BackendException failure =
        assertThrows(
            BackendException.class,
            () ->
                LettuceBackendProvider.explained(() -> {
                  throw new BackendException(Outcome.NOT_EXECUTED, next.remove(), null);
                }));
    return failure.getMessage() + next.size();
  }

  @Test
  void theNextAttemptTellsTheReason() {
    assertEquals(REFUSED + 0, attempts(GONE, CLOSED, UNCONNECTED, REFUSED));
  }

  @Test
  void aReasonIsNotAskedForTwice() {
    assertEquals(REFUSED + 1, attempts(REFUSED, GONE));
  }

  @Test
  void itEndsAfterFourAttempts() {
    assertEquals(GONE + 1, attempts(GONE, GONE, GONE, GONE, REFUSED));
  }
}
