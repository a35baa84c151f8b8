/** Locks that are made of other locks. */
@NullMarked
package io.mortise.internal.composite;

import org.jspecify.annotations.NullMarked;
