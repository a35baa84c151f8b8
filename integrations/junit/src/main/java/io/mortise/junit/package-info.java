/**
 * Tests of code that takes locks. Start at {@link io.mortise.junit.MortiseTest}. Without JUnit,
 * start at {@link io.mortise.junit.LockWorld}.
 */
@NullMarked
package io.mortise.junit;

import org.jspecify.annotations.NullMarked;
