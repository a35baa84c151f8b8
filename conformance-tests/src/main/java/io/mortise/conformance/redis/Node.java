package io.mortise.conformance.redis;

import java.time.Duration;

/** The process behind a {@link RedisServer}: a child of this JVM or a container. */
interface Node {
  String host();

  int port();

  /** Starts the server on its port, with the data it finds; returns before it answers. */
  void launch();

  /** Removes the data that a server has left which does not run. */
  void forget();

  /** The server's process id on this machine. */
  long pid();

  boolean isRunning();

  void pause();

  void resume();

  /** Sets the server's wall clock forward, or back if negative. */
  void stepClock(Duration by);

  /** Ends the server without warning, paused or not, and waits for its end. Idempotent. */
  void kill();

  /** What the server printed. */
  String output();

  /** Kills the server and removes what it left. Idempotent. */
  void dispose();
}
