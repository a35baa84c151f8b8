/**
 * The router for a master that sentinels name. Start at {@link
 * io.mortise.backend.support.sentinel.SentinelRouter}.
 */
@NullMarked
package io.mortise.backend.support.sentinel;

import org.jspecify.annotations.NullMarked;
