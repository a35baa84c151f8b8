/** Tests of the public types that need no store. */
@NullMarked
package io.mortise;

import org.jspecify.annotations.NullMarked;
