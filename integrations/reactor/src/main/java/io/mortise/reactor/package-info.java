/**
 * Locks and permits for Project Reactor. Start at {@link io.mortise.reactor.ReactiveLock}.
 *
 * <p>Types are non-null unless marked {@link org.jspecify.annotations.Nullable}.
 */
@NullMarked
package io.mortise.reactor;

import org.jspecify.annotations.NullMarked;
