/** Makes a page of results. Start at {@link Page}. */
@NullMarked
package io.mortise.jmh.report;

import org.jspecify.annotations.NullMarked;
