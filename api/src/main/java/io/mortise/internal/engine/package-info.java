/**
 * The mechanism behind every lock: scripts, the local gate, the mailbox, the lease keeper. Start at
 * {@link io.mortise.engine.Engine}, then {@link io.mortise.engine.Gate}. Not exported.
 */
@NullMarked
package io.mortise.internal.engine;

import org.jspecify.annotations.NullMarked;
