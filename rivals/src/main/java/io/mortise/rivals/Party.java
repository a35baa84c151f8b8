package io.mortise.rivals;

import java.net.URI;
import java.time.Duration;

/** One of the libraries that are compared. */
interface Party {
  /** The lease that a lock without an explicit one gets from the client, and is renewed for. */
  record Settings(URI uri, Duration lease) {
    private static final Duration LONGEST = Duration.ofSeconds(2);

    /** How long a command may take. */
    Duration commandTimeout() {
      Duration third = lease.dividedBy(3);
      return third.compareTo(LONGEST) < 0 ? third : LONGEST;
    }
  }

  /** Name and version. */
  String name();

  /** A client as another process would have it. */
  Client open(Settings settings);

  /** The same for a server that may get replicas, if the library makes a difference. */
  default Client openReplicated(Settings settings) {
    return open(settings);
  }
}
