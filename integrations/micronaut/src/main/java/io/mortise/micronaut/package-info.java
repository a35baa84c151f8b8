/**
 * Methods of Micronaut beans that run under a distributed lock. Start at {@link
 * io.mortise.micronaut.WithLock}.
 *
 * <p>Types are non-null unless marked {@link org.jspecify.annotations.Nullable}.
 */
@NullMarked
package io.mortise.micronaut;

import org.jspecify.annotations.NullMarked;
