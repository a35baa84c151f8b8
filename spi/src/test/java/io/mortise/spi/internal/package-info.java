/** Tests of what the modules of Mortise share. */
@NullMarked
package io.mortise.spi.internal;

import org.jspecify.annotations.NullMarked;
