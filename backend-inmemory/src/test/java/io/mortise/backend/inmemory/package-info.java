/** Tests of the memory backend. */
@NullMarked
package io.mortise.backend.inmemory;

import org.jspecify.annotations.NullMarked;
