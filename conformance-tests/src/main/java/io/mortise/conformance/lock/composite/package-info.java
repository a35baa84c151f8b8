/** The rules of locks made of several members: multi-lock and Redlock. */
@NullMarked
package io.mortise.conformance.lock.composite;

import org.jspecify.annotations.NullMarked;
