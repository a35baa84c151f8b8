/** Choosing a provider. */
@NullMarked
package io.mortise.discovery;

import org.jspecify.annotations.NullMarked;
