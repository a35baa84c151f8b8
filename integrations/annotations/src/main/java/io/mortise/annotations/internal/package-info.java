/**
 * What {@code @WithLock} of Spring, CDI and Micronaut have in common, and the threads that the
 * module for Reactor has too. It is no public API: it changes without notice, and only those
 * modules use it.
 *
 * <p>Start at {@link io.mortise.annotations.internal.Locker}, which runs a method under a lock, and
 * at {@link io.mortise.annotations.internal.LockAttributes}, which reads the annotation.
 *
 * <p>Types are non-null unless marked {@link org.jspecify.annotations.Nullable}.
 */
@NullMarked
package io.mortise.annotations.internal;

import org.jspecify.annotations.NullMarked;
