/**
 * The same cases on Mortise and on Redisson, side by side on real servers. {@link
 * io.mortise.rivals.Main} writes the results to {@code docs/rivals.md}.
 */
@NullMarked
package io.mortise.rivals;

import org.jspecify.annotations.NullMarked;
