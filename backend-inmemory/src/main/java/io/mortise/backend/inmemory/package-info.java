/**
 * A small keyspace inside the JVM that runs the same Lua scripts as Redis, for tests and for
 * applications of one process. Start at {@link io.mortise.backend.inmemory.InMemoryStore}.
 *
 * <p>The interpreter is LuaJ, not Redis' own Lua. A script runs alike on both if numbers of more
 * than 14 digits never go through {@code ..} or {@code string.format}, if tables have no holes, and
 * if it uses no syntax newer than Lua 5.1.
 */
@NullMarked
package io.mortise.backend.inmemory;

import org.jspecify.annotations.NullMarked;
