package io.mortise.micronaut;

import io.micronaut.context.BeanContext;
import io.micronaut.context.Qualifier;
import io.micronaut.context.exceptions.ConfigurationException;
import io.micronaut.context.exceptions.ExpressionEvaluationException;
import io.micronaut.context.exceptions.NonUniqueBeanException;
import io.micronaut.inject.ExecutableMethod;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.mortise.LockService;
import io.mortise.annotations.internal.LockTarget;
import io.mortise.annotations.internal.Refusal;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The methods with {@link WithLock}, each read once, and their lock services. Thread-safe. */
@Singleton
final class LockedMethods {
  private final BeanContext beans;
  private final WithLockProperties defaults;
  private final Map<Key, LockedMethod> known = new ConcurrentHashMap<>();

  /** Two beans may have the same method with annotations of their own, as those of factories. */
  private record Key(Class<?> type, ExecutableMethod<?, ?> method) {}

  LockedMethods(BeanContext beans, WithLockProperties defaults) {
    this.beans = beans;
    this.defaults = defaults;
  }

  /**
   * The locked method that a call runs.
   *
   * @param type the class of the object that is called
   * @throws LockedMethodException the annotation does not fit the method
   */
  LockedMethod of(Class<?> type, ExecutableMethod<?, ?> method) {
    Key key = new Key(type, method);
    LockedMethod locked = known.get(key);
    if (locked == null) {
      locked = read(method);
      known.put(key, locked);
    }
    return locked;
  }

  private LockedMethod read(ExecutableMethod<?, ?> method) {
    Duration wait = defaults.longestWait();
    try {
      return new LockedMethodReader(method).read(wait);
    } catch (Refusal e) {
      throw new LockedMethodException(e.problem(), e.nextStep());
    } catch (ConfigurationException | ExpressionEvaluationException e) {
      throw new LockedMethodException(
          "%s has an attribute that cannot be read: %s"
              .formatted(LockedMethodReader.text(method), e.getMessage()),
          "Set the property, or give it a default: ${name:default}. Write a parameter as {name}");
    }
  }

  /** What a call holds. */
  LockTarget target(LockedMethod method, @Nullable Object[] arguments) {
    LockService service = beans.getBean(LockService.class, qualifier(method));
    return method.terms().target(service, method.names().of(arguments));
  }

  private static @Nullable Qualifier<LockService> qualifier(LockedMethod method) {
    return method.service().isEmpty() ? null : Qualifiers.byName(method.service());
  }

  /**
   * Checks that the method can have its lock, without making a bean.
   *
   * @throws LockedMethodException the annotation does not fit the method, or its lock service is
   *     missing
   */
  void check(ExecutableMethod<?, ?> method) {
    LockedMethod read = read(method);
    try {
      if (beans.findBeanDefinition(LockService.class, qualifier(read)).isPresent()) {
        return;
      }
    } catch (NonUniqueBeanException e) {
      throw new LockedMethodException(
          read + " names no lock service, and there are several",
          "Set service = \"…\", or mark one of them as @Primary");
    }
    throw new LockedMethodException(
        read.service().isEmpty()
            ? read + " needs a lock service, and there is none"
            : "%s needs the lock service '%s', and there is none".formatted(read, read.service()),
        "Set the property mortise.uri, such as redis://localhost:6379, or define a bean of type io.mortise.LockService");
  }
}
