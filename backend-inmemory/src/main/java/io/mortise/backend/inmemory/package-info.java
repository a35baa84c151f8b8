/**
 * A small keyspace inside the JVM that runs the same Lua scripts as Redis. It is for tests and for
 * applications of one process. Start at {@link io.mortise.backend.inmemory.InMemoryStore}.
 *
 * <p>The interpreter is LuaJ, not Redis's own Lua. A script runs alike on both under three
 * conditions:
 *
 * <ul>
 *   <li>Numbers of more than 14 digits never go through {@code ..} or {@code string.format}.
 *   <li>Tables have no holes.
 *   <li>The syntax is that of Lua 5.1.
 * </ul>
 */
@NullMarked
package io.mortise.backend.inmemory;

import org.jspecify.annotations.NullMarked;
