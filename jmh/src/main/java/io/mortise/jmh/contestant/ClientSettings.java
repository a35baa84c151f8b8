package io.mortise.jmh.contestant;

import java.net.URI;
import java.time.Duration;

/**
 * The settings of a client in the comparison.
 *
 * @param uri of the server, or of a link to it
 * @param lease the lease of a lock without an explicit one, which the client renews
 */
public record ClientSettings(URI uri, Duration lease) {
  private static final Duration LONGEST = Duration.ofSeconds(2);

  /**
   * How long a command may take.
   *
   * @return a third of the lease, at most 2 s
   */
  public Duration commandTimeout() {
    Duration third = lease.dividedBy(3);
    return third.compareTo(LONGEST) < 0 ? third : LONGEST;
  }
}
