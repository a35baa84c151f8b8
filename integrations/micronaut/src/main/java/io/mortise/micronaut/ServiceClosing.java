package io.mortise.micronaut;

import io.micronaut.context.event.BeanPreDestroyEvent;
import io.micronaut.context.event.BeanPreDestroyEventListener;
import io.mortise.LockService;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Closes the lock service of the {@link LockServiceFactory} in good order: its holds get the time
 * of {@code mortise.close-timeout} to be released. The application closes a service of its own.
 */
@Singleton
final class ServiceClosing implements BeanPreDestroyEventListener<LockService> {
  private final Duration patience;
  private volatile @Nullable LockService own;

  ServiceClosing(MortiseProperties properties) {
    patience = properties.closePatience();
  }

  LockService closesPatiently(LockService service) {
    own = service;
    return service;
  }

  @Override
  public LockService onPreDestroy(BeanPreDestroyEvent<LockService> event) {
    LockService service = event.getBean();
    if (service.equals(own)) {
      service.close(patience);
    }
    return service;
  }
}
