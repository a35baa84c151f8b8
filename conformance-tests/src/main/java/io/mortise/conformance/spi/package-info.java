/**
 * The tests of the backend contract. The author of a backend extends {@link
 * io.mortise.conformance.spi.BackendConformance}, or for a store that is a Redis {@link
 * io.mortise.conformance.spi.RedisBackendConformance}, and names the provider.
 */
@NullMarked
package io.mortise.conformance.spi;

import org.jspecify.annotations.NullMarked;
