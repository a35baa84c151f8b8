/** Tests of the {@code mortise} command. */
@NullMarked
package io.mortise.cli;

import org.jspecify.annotations.NullMarked;
