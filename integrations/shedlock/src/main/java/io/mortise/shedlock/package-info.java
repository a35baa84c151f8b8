/**
 * Runs the jobs of ShedLock under locks of Mortise. Start at {@link
 * io.mortise.shedlock.MortiseLockProvider}.
 */
@NullMarked
package io.mortise.shedlock;

import org.jspecify.annotations.NullMarked;
