package io.mortise.spring.boot;

import io.mortise.spring.WithLockSettings;
import io.mortise.spring.WithLockSettings.InTransaction;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The properties of Mortise in a Spring Boot application.
 *
 * @param enabled Whether to open a lock service. Without any, a method with @WithLock stops the
 *     start.
 * @param uri The store's address, such as redis://host:6379 or memory:name. If it is not set, the
 *     application's Redis connection factory says where the store is.
 * @param backend The name of the backend for the URI, if several are on the class path: lettuce,
 *     jedis, vertx or memory.
 * @param connect When to connect to the store.
 * @param leaseTime The lease of a hold without an explicit lease. It is renewed when a third of it
 *     has passed.
 * @param maxHold How long a renewed hold may last. No limit by default.
 * @param commandTimeout The time that one command may take. By default 2 seconds or a third of the
 *     lease time, whichever is shorter.
 * @param keyPrefix The beginning of every key and channel.
 * @param handOffLimit How many times threads of this application hand a lock off before others get
 *     it. By default as often as they can until 10 milliseconds after others ask for it.
 * @param retain For how long the application keeps a plain lock that nobody uses, so that its next
 *     thread needs no command, unless another process wants it. At most half of the lease time. By
 *     default not at all.
 * @param interruptOnLoss Whether every thread is interrupted when its hold is lost.
 * @param redissonInterop Whether plain locks are the same locks as those of Redisson.
 * @param closeTimeout How long the closing application waits for holds to be released.
 * @param withLock What holds for @WithLock.
 * @param jedis What holds if the locks use Jedis.
 * @param metrics The meters of mortise-micrometer.
 * @param observations The observations of mortise-micrometer.
 * @param actuator The endpoint /actuator/locks.
 */
@ConfigurationProperties("mortise")
public record MortiseProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String uri,
    @Nullable String backend,
    @DefaultValue("start") Connect connect,
    @DefaultValue("30s") Duration leaseTime,
    @Nullable Duration maxHold,
    @Nullable Duration commandTimeout,
    @DefaultValue("mortise:") String keyPrefix,
    @Nullable Integer handOffLimit,
    @DefaultValue("0ms") Duration retain,
    @DefaultValue("false") boolean interruptOnLoss,
    @DefaultValue("false") boolean redissonInterop,
    @DefaultValue("20s") Duration closeTimeout,
    @DefaultValue WithLock withLock,
    @DefaultValue Jedis jedis,
    @DefaultValue Metrics metrics,
    @DefaultValue Observations observations,
    @DefaultValue Actuator actuator) {

  /** When to connect to the store. */
  public enum Connect {
    /** At the start, which fails if the store cannot be reached. */
    START,
    /** At the first use of a lock, which fails if the store cannot be reached. */
    FIRST_USE
  }

  /**
   * What holds for methods with {@code @WithLock}.
   *
   * @param waitFor The longest time to wait for a lock, where the annotation says nothing.
   * @param inTransaction What happens to a lock that is acquired inside a transaction.
   * @param order The order of the advisor, which must be before that of transactions.
   */
  public record WithLock(
      @DefaultValue("10s") Duration waitFor,
      @DefaultValue("hold") InTransaction inTransaction,
      @DefaultValue("" + WithLockSettings.DEFAULT_ORDER) int order) {
    WithLockSettings settings() {
      require(
          !waitFor.isNegative(),
          "with-lock.wait-for",
          waitFor,
          "it is negative; 0 waits for nobody");
      return new WithLockSettings(waitFor, inTransaction, order);
    }
  }

  /**
   * What holds if the locks use Jedis.
   *
   * @param poolSize How many connections the locks use at most, if they use the application's
   *     JedisConnectionFactory, which lends nobody its own.
   */
  public record Jedis(@DefaultValue("8") int poolSize) {}

  /**
   * The meters of mortise-micrometer.
   *
   * @param groups How the names of locks become the tag group: prefix, none, or patterns such as
   *     orders:* with commas between them.
   * @param maxGroups How many groups there are at most. Further ones are the group other.
   */
  public record Metrics(
      @DefaultValue("prefix") String groups, @DefaultValue("100") int maxGroups) {}

  /**
   * The observations of mortise-micrometer.
   *
   * @param enabled Whether a wait of 1 ms or more is an observation, and so a span of a trace.
   */
  public record Observations(@DefaultValue("false") boolean enabled) {}

  /**
   * The endpoint {@code /actuator/locks}.
   *
   * @param forceUnlock Whether DELETE ends the hold of a named holder.
   */
  public record Actuator(@DefaultValue("false") boolean forceUnlock) {}

  /** Refuses values that are read when it is too late to stop the start. */
  void requireUsable() {
    require(
        !closeTimeout.isNegative(),
        "close-timeout",
        closeTimeout,
        "it is negative; 0 waits for no hold");
    require(
        jedis.poolSize >= 1,
        "jedis.pool-size",
        jedis.poolSize,
        "the locks need 1 connection or more");
  }

  private static void require(boolean usable, String property, Object value, String reason) {
    if (!usable) {
      throw new InvalidConfigurationPropertyValueException("mortise." + property, value, reason);
    }
  }

  /** Without the URI, which may have a password. */
  @Override
  public String toString() {
    return "MortiseProperties[uri %s, lease %s, prefix %s]"
        .formatted(uri == null ? "not set" : "set", leaseTime, keyPrefix);
  }
}
