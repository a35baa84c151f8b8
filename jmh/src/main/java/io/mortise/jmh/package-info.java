/**
 * The bench: {@code ./mortise bench}. {@link io.mortise.jmh.Plan} says what is asked, of whom, and
 * what the answer must be; {@code contestant} opens the libraries, {@code question} and {@code
 * drive} measure them, {@code report} writes the page.
 */
@NullMarked
package io.mortise.jmh;

import org.jspecify.annotations.NullMarked;
