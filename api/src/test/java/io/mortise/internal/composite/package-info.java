/** The engine's parts, each alone. */
@NullMarked
package io.mortise.internal.composite;

import org.jspecify.annotations.NullMarked;
