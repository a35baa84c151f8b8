package io.mortise.jmh.contestant;

import java.net.URI;
import java.time.Duration;

/** What is compared: the one place that knows how each is opened. All else is at its default. */
public enum Contestant {
  /** Ourselves, on Jedis. */
  MORTISE_JEDIS("Mortise on Jedis"),
  /** Ourselves, on Lettuce. */
  MORTISE_LETTUCE("Mortise on Lettuce"),
  /** Ourselves on Jedis, with services that start on the message of a grant. */
  MORTISE_JEDIS_STARTING("Mortise on Jedis, starting on the grant"),
  /** Ourselves on Lettuce, with services that start on the message of a grant. */
  MORTISE_LETTUCE_STARTING("Mortise on Lettuce, starting on the grant"),
  /** Ourselves, without a server. */
  MORTISE_MEMORY("Mortise in memory"),
  /** Redisson's {@code RLock}, and its other locks. */
  REDISSON("Redisson"),
  /** Redisson again, with the semaphore whose permits do not expire. */
  REDISSON_SEMAPHORE("Redisson's RSemaphore"),
  /** Spring's {@code RedisLockRegistry}, which asks every 100 ms. */
  SPRING_SPIN("Spring, spinning"),
  /** Spring's {@code RedisLockRegistry}, which is told. */
  SPRING_PUBSUB("Spring, pub/sub"),
  /** The floor on Jedis: two scripts, and nothing around them. */
  BARE_JEDIS("bare Jedis"),
  /** The floor on Lettuce: two scripts, and nothing around them. */
  BARE_LETTUCE("bare Lettuce"),
  /** The JDK's {@code ReentrantLock}: what a lock costs that is not distributed. */
  JDK("ReentrantLock");

  private static final Duration LEASE = Duration.ofSeconds(30);

  private final String title;

  Contestant(String title) {
    this.title = title;
  }

  /**
   * Opens it with leases of 30 s, the default of Mortise and of Redisson.
   *
   * @param server a Redis
   * @return it, at work
   */
  public Site open(URI server) {
    return open(server, LEASE);
  }

  /**
   * Opens it.
   *
   * @param server a Redis
   * @param lease of its locks
   * @return it, at work
   */
  public Site open(URI server, Duration lease) {
    return switch (this) {
      case MORTISE_JEDIS -> MortiseSite.open(server, lease, "jedis");
      case MORTISE_LETTUCE -> MortiseSite.open(server, lease, "lettuce");
      case MORTISE_JEDIS_STARTING -> MortiseSite.starting(server, lease, "jedis");
      case MORTISE_LETTUCE_STARTING -> MortiseSite.starting(server, lease, "lettuce");
      case MORTISE_MEMORY -> MortiseSite.open(URI.create("memory:bench"), lease, "memory");
      case REDISSON -> RedissonSite.open(server, lease);
      case REDISSON_SEMAPHORE -> RedissonSite.withPlainPermits(server, lease);
      case SPRING_SPIN -> SpringSite.spinning(server, lease);
      case SPRING_PUBSUB -> SpringSite.subscribed(server, lease);
      case BARE_JEDIS -> new BareJedis(server, lease);
      case BARE_LETTUCE -> new BareLettuce(server, lease);
      case JDK -> new JdkSite();
    };
  }

  /**
   * How long a new JVM of it takes to reach its speed. The last seconds of a warm-up may agree by
   * chance while its code is still being compiled, so it takes that long at least.
   *
   * @return seconds
   */
  public Duration slowStart() {
    return switch (this) {
      case REDISSON, REDISSON_SEMAPHORE, SPRING_SPIN, SPRING_PUBSUB -> Duration.ofSeconds(10);
      default -> Duration.ZERO;
    };
  }

  /**
   * What readers know it by.
   *
   * @return name and client
   */
  public String title() {
    return title;
  }
}
