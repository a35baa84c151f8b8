/** Choosing a provider. */
@NullMarked
package io.mortise.internal.discovery;

import org.jspecify.annotations.NullMarked;
