/** Tests of the SPI's values. */
@NullMarked
package io.mortise.spi;

import org.jspecify.annotations.NullMarked;
