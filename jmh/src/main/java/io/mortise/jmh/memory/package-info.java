/**
 * What locks, waiting threads and services cost in memory, threads and connections, of Mortise and
 * of Redisson. {@link io.mortise.jmh.memory.MemoryMain} writes the tables to {@code
 * docs/memory.md}. Each figure is from a {@link io.mortise.jmh.memory.Probe}: a JVM of its own,
 * with a server of its own.
 */
@NullMarked
package io.mortise.jmh.memory;

import org.jspecify.annotations.NullMarked;
