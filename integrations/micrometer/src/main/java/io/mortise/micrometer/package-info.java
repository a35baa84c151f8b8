/**
 * Meters and observations of locks, for Micrometer. Start with {@link
 * io.mortise.micrometer.MortiseMetrics}.
 */
@NullMarked
package io.mortise.micrometer;

import org.jspecify.annotations.NullMarked;
