/**
 * A backend on the Redis client of Vert.x. {@link io.mortise.backend.vertx.VertxBackend} is where
 * to start.
 */
@NullMarked
package io.mortise.backend.vertx;

import org.jspecify.annotations.NullMarked;
