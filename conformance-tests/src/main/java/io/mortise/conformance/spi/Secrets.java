package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.mortise.conformance.redis.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** A server that asks for a user and a password, and checks that neither is shown. */
final class Secrets {
  static final String PASSWORD = "s3cret-Wort";
  static final String USER = "alice-the-user";

  static RedisServer guarded() {
    return RedisServer.builder()
        .password(PASSWORD)
        .arguments("--user", USER, "on", ">" + PASSWORD, "~kit:*", "&*", "+@all")
        .start();
  }

  /** Neither the error nor its causes show a secret (B18). */
  static void assertKept(Throwable error) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      assertKept(e.toString());
      for (Throwable suppressed : e.getSuppressed()) {
        assertKept(suppressed);
      }
    }
  }

  static void assertKept(String text) {
    assertFalse(text.contains(PASSWORD), () -> "B18: the password is shown: " + text);
    assertFalse(text.contains(USER), () -> "B18: the user is shown: " + text);
  }

  /** The output during the task, which includes the log of a logger that prints. */
  static String printedBy(Runnable task) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream both = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
      System.setOut(both);
      System.setErr(both);
      task.run();
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private Secrets() {}
}
