package io.mortise.spring.boot;

import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.spring.boot.MortiseProperties.Connect;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;

/** Opens the application's lock service. It is destroyed after that service. */
final class LockServiceOpener implements DisposableBean {
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
    return properties.connect() == Connect.FIRST_USE
        ? OpenedAtFirstUse.serviceOf(() -> openNow(bean))
        : openNow(bean);
  }

  private LockService openNow(String bean) {
    LockService.Builder builder = LockService.builder();
    Runnable end = store.apply(builder, bean);
    try {
      set(builder);
      listeners.orderedStream().forEach(builder::listener);
      customizers.orderedStream().forEach(each -> each.customize(builder));
      LockService service = builder.open();
      after = end;
      return service;
    } catch (RuntimeException | Error e) {
      end.run();
      throw e;
    }
  }

  private void set(LockService.Builder builder) {
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
  }

  @Override
  public void destroy() {
    after.run();
  }
}
