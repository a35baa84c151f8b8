package io.mortise.spring.boot;

import io.mortise.LockService;

/**
 * Sets options of the lock service that the starter opens. All beans of this type are applied in
 * their order, after the properties. An option is set once, so one that a property sets cannot be
 * set again.
 */
@FunctionalInterface
public interface LockServiceCustomizer {
  /**
   * Sets options.
   *
   * @param builder has its store and what the properties say
   */
  void customize(LockService.Builder builder);
}
