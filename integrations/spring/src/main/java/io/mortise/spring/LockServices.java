package io.mortise.spring;

import io.mortise.LockService;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The lock services among the beans. Thread-safe. */
final class LockServices {
  private final ConfigurableListableBeanFactory beans;
  private final Map<String, LockService> known = new ConcurrentHashMap<>();

  LockServices(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /**
   * The service for a method.
   *
   * @throws LockedMethodException there is none, or there are several and none is named
   */
  LockService of(LockedMethod method) {
    LockService service = known.get(method.service());
    if (service == null) {
      service = find(method);
      known.put(method.service(), service);
    }
    return service;
  }

  private LockService find(LockedMethod method) {
    try {
      return method.service().isEmpty()
          ? beans.getBean(LockService.class)
          : beans.getBean(method.service(), LockService.class);
    } catch (NoUniqueBeanDefinitionException e) {
      throw new LockedMethodException(
          "%s names no lock service, and there are several: %s".formatted(method, names()),
          "Set service = \"…\", or mark one of them as @Primary");
    } catch (NoSuchBeanDefinitionException e) {
      throw missing(method, e);
    }
  }

  private RuntimeException missing(LockedMethod method, BeansException e) {
    if (method.service().isEmpty() ? names().length() > 2 : beans.containsBean(method.service())) {
      return e; // the service is there, and something that it needs is not
    }
    if (names().length() == 2 && isTurnedOff()) {
      return new LockedMethodException(
          method + " needs a lock service, and there is none because mortise.enabled is not true",
          "Remove the property mortise.enabled, or define a bean of type io.mortise.LockService. For tests without Redis set mortise.uri=memory:${random.uuid} instead");
    }
    return new LockedMethodException(
        "%s needs the lock service %s, and there are: %s"
            .formatted(
                method,
                method.service().isEmpty() ? "of the application" : "'" + method.service() + "'",
                names()),
        "Define a bean of type io.mortise.LockService, or let mortise-spring-boot-starter make one");
  }

  /** Whether a property keeps the Boot starter from making a service. */
  private boolean isTurnedOff() {
    String value = beans.resolveEmbeddedValue("${mortise.enabled:true}");
    return value != null && !value.startsWith("${") && !value.equalsIgnoreCase("true");
  }

  private String names() {
    return Arrays.toString(beans.getBeanNamesForType(LockService.class));
  }
}
