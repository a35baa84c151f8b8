/**
 * A real Redis for tests: a server to pause, kill and restart, a proxy with link faults, and a
 * plain connection for the tests. Start at {@link io.mortise.conformance.redis.RedisServer}.
 */
@NullMarked
package io.mortise.conformance.redis;

import org.jspecify.annotations.NullMarked;
