package io.mortise.spring.boot;

import io.mortise.BackendUnavailableException;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.spi.BackendException;
import io.mortise.spring.boot.MortiseProperties.Connect;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Opens the application's lock service. It is destroyed after that service. */
final class LockServiceOpener implements DisposableBean {
  /** The options of the builder that its messages name, and that are properties. */
  private static final Pattern OPTION =
      Pattern.compile("leaseTime|maxHold|commandTimeout|keyPrefix|handOffLimit|retain\\b");

  /** A shorter time may lack its unit. */
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final MortiseProperties properties;
  private final StoreChoice store;
  private final ObjectProvider<LockListener> listeners;
  private final ObjectProvider<LockServiceCustomizer> customizers;

  /** Ends what was opened for the store. */
  private volatile Runnable after = () -> {};

  LockServiceOpener(
      MortiseProperties properties,
      StoreChoice store,
      ObjectProvider<LockListener> listeners,
      ObjectProvider<LockServiceCustomizer> customizers) {
    this.properties = properties;
    this.store = store;
    this.listeners = listeners;
    this.customizers = customizers;
  }

  /** The service, which is opened now or at its first use. */
  LockService open(String bean) {
    properties.requireUsable();
    if (properties.connect() == Connect.FIRST_USE) {
      explained(this::builder); // what the properties say alone is checked now
      return OpenedAtFirstUse.serviceOf(() -> openNow(bean));
    }
    return openNow(bean);
  }

  private LockService openNow(String bean) {
    LockService.Builder builder = explained(this::builder);
    Runnable end = explained(() -> store.apply(builder, bean));
    try {
      listeners.orderedStream().forEach(builder::listener);
      customizers.orderedStream().forEach(each -> each.customize(builder));
      LockService service = explained(builder::open);
      after = end;
      return service;
    } catch (RuntimeException | Error e) {
      end.run();
      throw e;
    }
  }

  /** The result of a step. What is refused in it is told in the words of the properties. */
  private <T> T explained(Supplier<T> step) {
    try {
      return step.get();
    } catch (BackendException e) {
      String message = String.valueOf(e.getMessage());
      throw new BackendUnavailableException(
          properties.uri() == null ? inProperties(message) : message, e);
    } catch (IllegalArgumentException e) {
      throw refused(e, String.valueOf(e.getMessage()));
    }
  }

  /** The backend was made for a connection factory, which has properties in place of a URI. */
  private static String inProperties(String message) {
    return message
        .replaceFirst("write redis-cluster://\\S+", "set spring.data.redis.cluster.nodes")
        .replaceFirst(
            "write redis-sentinel://\\S+",
            "set spring.data.redis.sentinel.master and spring.data.redis.sentinel.nodes")
        .replaceFirst(
            "write redis://\\S+", "set spring.data.redis.host and spring.data.redis.port");
  }

  private RuntimeException refused(IllegalArgumentException e, String told) {
    String message = told.replaceFirst("^key prefix", "keyPrefix");
    Matcher option = OPTION.matcher(message);
    Object value = option.lookingAt() ? valueOf(option.group()) : null;
    if (value == null) {
      return new LockStoreException(
          "The lock service refuses an option: " + message,
          "Look at the properties mortise.*, foremost mortise.uri, and at the beans of type LockServiceCustomizer",
          e);
    }
    String reason = OPTION.matcher(message).replaceAll(each -> property(each.group()));
    boolean brief = value instanceof Duration time && time.compareTo(SECOND) < 0;
    InvalidConfigurationPropertyValueException refused =
        new InvalidConfigurationPropertyValueException(
            property(option.group()),
            value,
            brief
                ? reason + ". A number without a unit is milliseconds: 30 seconds are 30s"
                : reason);
    refused.initCause(e);
    return refused;
  }

  private static String property(String option) {
    return "mortise." + option.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  private @Nullable Object valueOf(String option) {
    return switch (option) {
      case "leaseTime" -> properties.leaseTime();
      case "maxHold" -> properties.maxHold();
      case "commandTimeout" -> properties.commandTimeout();
      case "keyPrefix" -> properties.keyPrefix();
      case "handOffLimit" -> properties.handOffLimit();
      case "retain" -> properties.retain();
      default -> null;
    };
  }

  private LockService.Builder builder() {
    LockService.Builder builder = LockService.builder();
    builder
        .leaseTime(properties.leaseTime())
        .keyPrefix(properties.keyPrefix())
        .retain(properties.retain())
        .interruptOnLoss(properties.interruptOnLoss())
        .redissonInterop(properties.redissonInterop());
    if (properties.maxHold() != null) {
      builder.maxHold(properties.maxHold());
    }
    if (properties.handOffLimit() != null) {
      builder.handOffLimit(properties.handOffLimit());
    }
    if (properties.commandTimeout() != null) {
      builder.commandTimeout(properties.commandTimeout());
    }
    return builder;
  }

  @Override
  public void destroy() {
    after.run();
  }
}
