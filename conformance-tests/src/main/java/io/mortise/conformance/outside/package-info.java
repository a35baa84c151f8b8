/**
 * Black-box tests of locks. Three parts share only text files. Worker processes log what they
 * believe ({@code Worker}). An injector breaks servers, links and workers, and logs that too
 * ({@code Injector}). A checker reads all logs ({@code Checker}). The checker uses no class of
 * Mortise. So it can judge any lock, and also a worker without a lock.
 *
 * <p>Start at {@link io.mortise.conformance.outside.OutsideConformance}. All times in the logs are
 * nanoseconds since the start of the run, by {@link System#nanoTime}. On Linux that is
 * CLOCK_MONOTONIC, the same for all processes of a machine. A run checks that with each worker.
 */
@NullMarked
package io.mortise.conformance.outside;

import org.jspecify.annotations.NullMarked;
