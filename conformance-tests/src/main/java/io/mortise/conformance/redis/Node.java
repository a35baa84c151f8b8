package io.mortise.conformance.redis;

import java.time.Duration;

/** The process behind a {@link RedisServer}: a child of this JVM or a container. */
interface Node {
  String host();

  int port();

  /** Starts the server on its port, with the data on disk. Returns before it answers. */
  void launch();

  /** Removes the data on disk. The server must not run. */
  void forget();

  /** The server's process id on this machine. */
  long pid();

  boolean isRunning();

  void pause();

  void resume();

  /** Sets the server's wall clock forward, or back if negative. */
  void stepClock(Duration by);

  /** Kills the server, paused or not, and waits for its end. Idempotent. */
  void kill();

  /** The server's printed output. */
  String output();

  /** Kills the server and removes its files. Idempotent. */
  void dispose();
}
