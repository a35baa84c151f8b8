/**
 * The parts that all tests of the kit share. {@link io.mortise.conformance.Rule} gives the rules
 * that a test checks. A report at the end of the run counts the tests of each rule.
 */
@NullMarked
package io.mortise.conformance;

import org.jspecify.annotations.NullMarked;
