/**
 * The {@code mortise} command. Start at {@link io.mortise.cli.Main}; the demo's two runs are in
 * {@code Demo}.
 */
@NullMarked
package io.mortise.cli;

import org.jspecify.annotations.NullMarked;
