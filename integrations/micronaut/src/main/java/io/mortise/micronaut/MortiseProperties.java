package io.mortise.micronaut;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.context.exceptions.ConfigurationException;
import io.micronaut.core.bind.annotation.Bindable;
import io.mortise.LockService;
import io.mortise.annotations.internal.Times;
import java.time.Duration;
import java.util.Optional;

/**
 * The properties of Mortise in a Micronaut application. Each is a text, because a text that cannot
 * be read is then told with its name, and never replaced by a default.
 *
 * @param uri The store's address, such as redis://host:6379 or memory:name. Without it, no lock
 *     service is made.
 * @param backend The name of the backend for the URI, if several are on the class path: lettuce,
 *     jedis, vertx or memory.
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
 */
@ConfigurationProperties("mortise")
record MortiseProperties(
    Optional<String> uri,
    Optional<String> backend,
    @Bindable(defaultValue = "30s") String leaseTime,
    Optional<String> maxHold,
    Optional<String> commandTimeout,
    @Bindable(defaultValue = "mortise:") String keyPrefix,
    Optional<String> handOffLimit,
    @Bindable(defaultValue = "0") String retain,
    @Bindable(defaultValue = "false") String interruptOnLoss,
    @Bindable(defaultValue = "false") String redissonInterop,
    @Bindable(defaultValue = "20s") String closeTimeout) {

  /**
   * A builder with these options.
   *
   * @throws ConfigurationException an option is wrong
   */
  LockService.Builder builder() {
    LockService.Builder builder = LockService.builder();
    address(builder);
    backend.ifPresent(builder::provider);
    setting("lease-time", leaseTime).apply(Times::read, builder::leaseTime);
    maxHold.ifPresent(text -> setting("max-hold", text).apply(Times::read, builder::maxHold));
    commandTimeout.ifPresent(
        text -> setting("command-timeout", text).apply(Times::read, builder::commandTimeout));
    setting("key-prefix", keyPrefix).apply(text -> text, builder::keyPrefix);
    handOffLimit.ifPresent(text ->
        setting("hand-off-limit", text).apply(MortiseProperties::number, builder::handOffLimit));
    setting("retain", retain).apply(Times::read, builder::retain);
    setting("interrupt-on-loss", interruptOnLoss)
        .apply(MortiseProperties::flag, builder::interruptOnLoss);
    setting("redisson-interop", redissonInterop)
        .apply(MortiseProperties::flag, builder::redissonInterop);
    return builder;
  }

  /** Sets the address. It may have a password, so no message shows it. */
  private void address(LockService.Builder builder) {
    try {
      builder.uri(uri.orElse(""));
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(
          "The property mortise.uri is no address of a store: " + e.getMessage(), e);
    }
  }

  /** How long the closing application waits for holds to be released. */
  Duration closePatience() {
    return setting("close-timeout", closeTimeout).read(Times::read);
  }

  private static Setting setting(String name, String value) {
    return new Setting("mortise." + name, value);
  }

  private static Integer number(String text) {
    try {
      return Integer.valueOf(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("this is no whole number", e);
    }
  }

  private static Boolean flag(String text) {
    return switch (text.strip()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("only true and false count");
    };
  }

  /** Without the URI, which may have a password. */
  @Override
  public String toString() {
    return "MortiseProperties[uri %s, lease %s, prefix %s]"
        .formatted(uri.isPresent() ? "set" : "not set", leaseTime, keyPrefix);
  }
}
