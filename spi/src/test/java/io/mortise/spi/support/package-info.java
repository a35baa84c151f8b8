/** What backends share. */
@NullMarked
package io.mortise.spi.support;

import org.jspecify.annotations.NullMarked;
