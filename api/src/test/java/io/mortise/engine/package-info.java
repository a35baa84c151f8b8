/** The engine's parts, each alone. */
@NullMarked
package io.mortise.engine;

import org.jspecify.annotations.NullMarked;
