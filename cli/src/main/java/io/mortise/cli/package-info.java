/**
 * The {@code mortise} command. Start at {@link io.mortise.cli.Main}. The two runs of the demo are
 * in {@link io.mortise.cli.WorkerGroup} and {@link io.mortise.cli.LocalParty}.
 */
@NullMarked
package io.mortise.cli;

import org.jspecify.annotations.NullMarked;
