/**
 * Methods of Spring beans that run under a distributed lock.
 *
 * <p>Start at {@link io.mortise.spring.WithLock}. {@link io.mortise.spring.WithLockConfiguration}
 * puts the parts together: {@code LockedMethods} reads the annotations, {@code WithLockAdvisor}
 * applies them to beans, and {@code LockedBeanCheck} stops the start if a method would run without
 * its lock. What acquires and releases is in {@code mortise-annotations}.
 */
@NullMarked
package io.mortise.spring;

import org.jspecify.annotations.NullMarked;
