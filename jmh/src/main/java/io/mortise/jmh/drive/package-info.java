/**
 * Runs questions, cell by cell. JMH runs those of one process, and small programs here run the
 * others. All write their results in JMH's format. Start at {@link Question}.
 */
@NullMarked
package io.mortise.jmh.drive;

import org.jspecify.annotations.NullMarked;
