/**
 * What all tests of the kit share: {@link io.mortise.conformance.Rule} names the rule a test
 * checks, and a report at the end of the run counts the tests of each rule.
 */
@NullMarked
package io.mortise.conformance;

import org.jspecify.annotations.NullMarked;
