/**
 * The same cases on Mortise and on Redisson, side by side on real servers. {@link
 * io.mortise.jmh.rival.RivalsMain} writes the results to {@code docs/rivals.md}.
 */
@NullMarked
package io.mortise.jmh.rival;

import org.jspecify.annotations.NullMarked;
