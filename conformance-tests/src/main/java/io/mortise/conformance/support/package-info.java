/**
 * The shared parts of the kit's tests: waiting for a condition, and threads that work together. Not
 * exported.
 */
@NullMarked
package io.mortise.conformance.support;

import org.jspecify.annotations.NullMarked;
