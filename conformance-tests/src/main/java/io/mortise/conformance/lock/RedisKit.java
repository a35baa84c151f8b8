package io.mortise.conformance.lock;

import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.LockBackend;
import java.net.URI;

/** What tests have where the store is a Redis server: the server, and other ways to it. */
interface RedisKit extends BackendUnderTest {
  /** The server, alone on it. */
  RedisServer server();

  /** Opens a backend by a way of the test's own. */
  LockBackend open(URI uri);
}
