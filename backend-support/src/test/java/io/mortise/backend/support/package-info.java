/** Tests of the code that backends share. */
@NullMarked
package io.mortise.backend.support;

import org.jspecify.annotations.NullMarked;
