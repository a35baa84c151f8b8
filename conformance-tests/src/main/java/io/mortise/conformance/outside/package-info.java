/**
 * Locks looked at from outside. Three parts know of each other by text files only: worker processes
 * write down what they believe ({@code Worker}), an injector breaks servers, links and workers and
 * writes that down too ({@code Injector}), and a checker reads all of it ({@code Checker}). The
 * checker knows no class of Mortise, so it can judge any lock, and a worker without a lock as well.
 *
 * <p>Start at {@link io.mortise.conformance.outside.OutsideConformance}. All times in the logs are
 * nanoseconds since the start of the run, by {@link System#nanoTime}: on Linux that is
 * CLOCK_MONOTONIC, the same for all processes of a machine. A run checks it with each worker.
 */
@NullMarked
package io.mortise.conformance.outside;

import org.jspecify.annotations.NullMarked;
