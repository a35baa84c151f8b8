/** Explored schedules: services on one store in memory, in interleavings that a seed chooses. */
@NullMarked
package io.mortise.internal.engine;

import org.jspecify.annotations.NullMarked;
