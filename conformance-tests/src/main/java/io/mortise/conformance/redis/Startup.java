package io.mortise.conformance.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Starts a server and waits until it answers. A server without an answer is removed. */
final class Startup {
  private Startup() {}

  static void await(Node node, Duration patience, BooleanSupplier answers) {
    node.launch();
    long start = System.nanoTime();
    while (!answers.getAsBoolean()) {
      boolean late = System.nanoTime() - start > patience.toNanos();
      if (late || !node.isRunning()) {
        String what = late ? "does not answer PING" : "ended at once";
        String message = "redis-server " + what + ", it printed:\n" + node.output();
        node.dispose();
        throw new IllegalStateException(message);
      }
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
  }
}
