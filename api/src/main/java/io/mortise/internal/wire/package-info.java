/**
 * The wire format: keys, acquisition ids, script arguments and scripts. No threads and no state.
 * Start at {@link io.mortise.internal.wire.LockScripts}.
 */
@NullMarked
package io.mortise.internal.wire;

import org.jspecify.annotations.NullMarked;
