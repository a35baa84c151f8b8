package io.mortise.micronaut;

import io.micronaut.context.processor.ExecutableMethodProcessor;
import io.micronaut.inject.BeanDefinition;
import io.micronaut.inject.ExecutableMethod;
import jakarta.inject.Singleton;

/** Reads every method with {@link WithLock} at the start, so that a wrong one stops it. */
@Singleton
final class LockedMethodCheck implements ExecutableMethodProcessor<WithLock> {
  private final LockedMethods methods;

  LockedMethodCheck(LockedMethods methods) {
    this.methods = methods;
  }

  @Override
  public void process(BeanDefinition<?> bean, ExecutableMethod<?, ?> method) {
    methods.check(method);
  }
}
