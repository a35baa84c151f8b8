/**
 * Runs questions, cell by cell: those of one process by JMH, the others by small programs of our
 * own. All write their results as JMH does. Start at {@link Question}.
 */
@NullMarked
package io.mortise.jmh.drive;

import org.jspecify.annotations.NullMarked;
