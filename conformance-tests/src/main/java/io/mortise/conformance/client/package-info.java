/**
 * Checks for modules that link with several versions of their client or framework: whether every
 * reference exists, and a run with each version. Start at {@link
 * io.mortise.conformance.client.Linkage}.
 */
@NullMarked
package io.mortise.conformance.client;

import org.jspecify.annotations.NullMarked;
