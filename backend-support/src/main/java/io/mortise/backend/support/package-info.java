/**
 * What several backends for Redis need, written once: which subscription hears what, what the end
 * of a call means, reading a URI, checking a server. The contract requires nothing of it.
 */
@NullMarked
package io.mortise.backend.support;

import org.jspecify.annotations.NullMarked;
