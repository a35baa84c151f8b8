/** Explored schedules: services on one store in memory, in interleavings chosen by a seed. */
@NullMarked
package io.mortise.internal.engine;

import org.jspecify.annotations.NullMarked;
