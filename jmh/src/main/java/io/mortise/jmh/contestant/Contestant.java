package io.mortise.jmh.contestant;

import java.net.URI;
import java.time.Duration;

/**
 * The compared libraries. This is the one place that knows how each is opened. All other settings
 * are at their defaults.
 */
public enum Contestant {
  /** Mortise on Jedis. */
  MORTISE_JEDIS("Mortise on Jedis"),
  /** Mortise on Lettuce. */
  MORTISE_LETTUCE("Mortise on Lettuce"),
  /** Mortise on Jedis, with services that retain a lock that nobody uses for 500 ms. */
  MORTISE_JEDIS_RETAINING("Mortise on Jedis, retaining"),
  /** Mortise on Lettuce, with services that retain a lock that nobody uses for 500 ms. */
  MORTISE_LETTUCE_RETAINING("Mortise on Lettuce, retaining"),
  /** Mortise without a server. */
  MORTISE_MEMORY("Mortise in memory"),
  /** Redisson's {@code RLock}, and its other locks. */
  REDISSON("Redisson"),
  /** Redisson with the semaphore whose permits do not expire. */
  REDISSON_SEMAPHORE("Redisson's RSemaphore"),
  /** Spring's {@code RedisLockRegistry}, which polls every 100 ms. */
  SPRING_SPIN("Spring, spinning"),
  /** Spring's {@code RedisLockRegistry}, which waits for messages. */
  SPRING_PUBSUB("Spring, pub/sub"),
  /** The lower limit on Jedis: two scripts, and nothing around them. */
  BARE_JEDIS("bare Jedis"),
  /** The lower limit on Lettuce: two scripts, and nothing around them. */
  BARE_LETTUCE("bare Lettuce"),
  /** The JDK's {@code ReentrantLock}: the cost of a lock that is not distributed. */
  JDK("ReentrantLock");

  /** The shortest warm-up of a library that starts slowly, and of several processes. */
  public static final Duration SLOW_START = Duration.ofSeconds(10);

  private static final Duration LEASE = Duration.ofSeconds(30);

  private final String title;

  Contestant(String title) {
    this.title = title;
  }

  /**
   * Opens the contestant with leases of 30 s, the default of Mortise and of Redisson.
   *
   * @param server the URI of a Redis server
   * @return the open contestant
   */
  public Site open(URI server) {
    return open(server, LEASE);
  }

  /**
   * Opens the contestant.
   *
   * @param server the URI of a Redis server
   * @param lease the lease time of its locks
   * @return the open contestant
   */
  public Site open(URI server, Duration lease) {
    return switch (this) {
      case MORTISE_JEDIS -> MortiseSite.open(server, lease, "jedis");
      case MORTISE_LETTUCE -> MortiseSite.open(server, lease, "lettuce");
      case MORTISE_JEDIS_RETAINING -> MortiseSite.retaining(server, lease, "jedis");
      case MORTISE_LETTUCE_RETAINING -> MortiseSite.retaining(server, lease, "lettuce");
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
   * Opens a client for the comparison of Mortise on Jedis with Redisson.
   *
   * @param settings the same for both
   * @return a connected client
   */
  public LockClient openClient(ClientSettings settings) {
    return switch (this) {
      case MORTISE_JEDIS -> MortiseSite.client(settings, "jedis");
      case REDISSON -> RedissonSite.open(settings);
      default -> throw new UnsupportedOperationException(this + " is not compared");
    };
  }

  /**
   * As {@link #openClient}, for a server that may get replicas, if the library makes a difference.
   *
   * @param settings the same for both
   * @return a connected client
   */
  public LockClient openReplicatedClient(ClientSettings settings) {
    return this == REDISSON ? RedissonSite.openReplicated(settings) : openClient(settings);
  }

  /**
   * How long a new JVM of this contestant takes to reach its speed. The warm-up lasts at least that
   * long: its last seconds may agree by chance while code is still being compiled.
   *
   * @return the time
   */
  public Duration slowStart() {
    return switch (this) {
      case REDISSON, REDISSON_SEMAPHORE, SPRING_SPIN, SPRING_PUBSUB -> SLOW_START;
      default -> Duration.ZERO;
    };
  }

  /**
   * Whether its locks are two commands and nothing else. Such a lock has no waiters.
   *
   * @return whether it is a bare client
   */
  public boolean isBare() {
    return this == BARE_JEDIS || this == BARE_LETTUCE;
  }

  /**
   * The name for readers.
   *
   * @return library and client
   */
  public String title() {
    return title;
  }
}
