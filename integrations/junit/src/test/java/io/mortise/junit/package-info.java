/** Tests of the extension, which run on each supported version of JUnit. */
@NullMarked
package io.mortise.junit;

import org.jspecify.annotations.NullMarked;
