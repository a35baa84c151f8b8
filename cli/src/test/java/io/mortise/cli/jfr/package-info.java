/** Tests of what flight recordings say of locks. */
@NullMarked
package io.mortise.cli.jfr;

import org.jspecify.annotations.NullMarked;
