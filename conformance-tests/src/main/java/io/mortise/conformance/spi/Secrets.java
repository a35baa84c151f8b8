package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.mortise.conformance.redis.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** A server guarded by a user and a password, and the proof that neither is shown. */
final class Secrets {
  static final String PASSWORD = "s3cret-Wort";
  static final String USER = "alice-the-user";

  static RedisServer guarded() {
    return RedisServer.builder()
        .password(PASSWORD)
        .arguments("--user", USER, "on", ">" + PASSWORD, "~kit:*", "&*", "+@all")
        .start();
  }

  /** Neither the error nor anything it carries shows a secret (B18). */
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

  /** What is printed meanwhile, and so what a logger that prints logs. */
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
