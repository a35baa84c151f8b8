/**
 * What the tests of the kit share: waiting for a condition, threads that work together. Not
 * exported.
 */
@NullMarked
package io.mortise.conformance.support;

import org.jspecify.annotations.NullMarked;
