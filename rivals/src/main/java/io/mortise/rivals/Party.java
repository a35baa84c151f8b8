package io.mortise.rivals;

import java.net.URI;
import java.time.Duration;

/** One of the compared libraries. */
interface Party {
  /** The lease of a lock without an explicit one, which the client renews. */
  record Settings(URI uri, Duration lease) {
    private static final Duration LONGEST = Duration.ofSeconds(2);

    /** The longest time for a command. */
    Duration commandTimeout() {
      Duration third = lease.dividedBy(3);
      return third.compareTo(LONGEST) < 0 ? third : LONGEST;
    }
  }

  /** Name and version. */
  String name();

  /** Opens a client, as another process would have it. */
  Client open(Settings settings);

  /** Opens a client for a server that may get replicas, if the library makes a difference. */
  default Client openReplicated(Settings settings) {
    return open(settings);
  }
}
