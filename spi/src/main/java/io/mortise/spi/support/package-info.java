/**
 * What several backends need, written once: telling a listener, reading a Redis URI, checking a
 * Redis server. Nothing of it is required by the contract.
 */
@NullMarked
package io.mortise.spi.support;

import org.jspecify.annotations.NullMarked;
