/** The libraries that are compared, and nothing else of them. Start at {@link Contestant}. */
@NullMarked
package io.mortise.jmh.contestant;

import org.jspecify.annotations.NullMarked;
