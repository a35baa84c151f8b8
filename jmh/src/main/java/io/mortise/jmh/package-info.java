/**
 * The bench: {@code ./mortise bench}. {@link io.mortise.jmh.Plan} has the questions, their
 * contestants and the targets. {@code contestant} opens the libraries, {@code question} and {@code
 * drive} measure them, and {@code report} writes the page.
 */
@NullMarked
package io.mortise.jmh;

import org.jspecify.annotations.NullMarked;
