/** The engine's parts, each alone. */
@NullMarked
package io.mortise.internal.engine;

import org.jspecify.annotations.NullMarked;
