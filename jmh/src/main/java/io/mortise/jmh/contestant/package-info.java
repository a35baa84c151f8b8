/** The compared libraries. Start at {@link Contestant}. */
@NullMarked
package io.mortise.jmh.contestant;

import org.jspecify.annotations.NullMarked;
