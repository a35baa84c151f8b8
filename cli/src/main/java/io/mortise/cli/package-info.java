/**
 * The {@code mortise} command. Start at {@link io.mortise.cli.Main}. A run under a lock is in
 * {@link io.mortise.cli.LockedRun}, the page in {@link io.mortise.cli.TopPage}, and the two runs of
 * the demo are in {@link io.mortise.cli.WorkerGroup}.
 */
@NullMarked
package io.mortise.cli;

import org.jspecify.annotations.NullMarked;
