/**
 * Code that several Redis backends need: subscriptions, calls and their failures, URIs, and the
 * check of a server. The backend contract does not require its use.
 */
@NullMarked
package io.mortise.backend.support;

import org.jspecify.annotations.NullMarked;
