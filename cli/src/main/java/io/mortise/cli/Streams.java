package io.mortise.cli;

import java.io.PrintWriter;

/**
 * Where a command writes.
 *
 * @param out results
 * @param err progress and errors
 * @param terminal whether {@code err} is a terminal, on which a line can be drawn anew
 */
record Streams(PrintWriter out, PrintWriter err, boolean terminal) {}
