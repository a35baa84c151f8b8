/** The rules of locks made of several. */
@NullMarked
package io.mortise.conformance.lock.composite;

import org.jspecify.annotations.NullMarked;
