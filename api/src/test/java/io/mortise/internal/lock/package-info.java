/** The engine's parts, each alone. */
@NullMarked
package io.mortise.internal.lock;

import org.jspecify.annotations.NullMarked;
