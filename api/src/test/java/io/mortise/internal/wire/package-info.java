/** The engine's parts, each alone. */
@NullMarked
package io.mortise.internal.wire;

import org.jspecify.annotations.NullMarked;
