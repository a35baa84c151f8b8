/**
 * A backend that runs Mortise's scripts through Jedis. Start at {@link
 * io.mortise.backend.jedis.JedisBackend}.
 */
@NullMarked
package io.mortise.backend.jedis;

import org.jspecify.annotations.NullMarked;
