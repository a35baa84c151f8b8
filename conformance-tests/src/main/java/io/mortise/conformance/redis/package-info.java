/**
 * A real Redis for tests: a server that can be paused, killed and restarted, a proxy that spoils
 * the link to it, and a connection of the tests' own. Start at {@link
 * io.mortise.conformance.redis.RedisServer}.
 */
@NullMarked
package io.mortise.conformance.redis;

import org.jspecify.annotations.NullMarked;
