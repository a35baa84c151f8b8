/** Benchmarks, one class per question. Start at {@link io.mortise.jmh.UncontendedLock}. */
@NullMarked
package io.mortise.jmh;

import org.jspecify.annotations.NullMarked;
