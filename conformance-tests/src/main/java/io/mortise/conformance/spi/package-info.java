/**
 * The tests of the backend contract. The author of a backend extends {@link
 * io.mortise.conformance.spi.BackendConformance} and supplies the provider. For a store that is
 * Redis the base class is {@link io.mortise.conformance.spi.RedisBackendConformance}.
 */
@NullMarked
package io.mortise.conformance.spi;

import org.jspecify.annotations.NullMarked;
