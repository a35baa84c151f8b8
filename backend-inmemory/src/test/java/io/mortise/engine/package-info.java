/** Explored schedules: services on one store in memory, in interleavings chosen by a seed. */
@NullMarked
package io.mortise.engine;

import org.jspecify.annotations.NullMarked;
