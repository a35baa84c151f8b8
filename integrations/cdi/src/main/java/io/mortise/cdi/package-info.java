/**
 * Methods of CDI beans that run under a distributed lock.
 *
 * <p>Start at {@link io.mortise.cdi.WithLock}. {@link io.mortise.cdi.WithLockInterceptor} is called
 * by the container, and {@code LockedMethods} reads the annotations. What acquires and releases is
 * in {@code mortise-annotations}.
 *
 * <p>Types are non-null unless marked {@link org.jspecify.annotations.Nullable}.
 */
@NullMarked
package io.mortise.cdi;

import org.jspecify.annotations.NullMarked;
