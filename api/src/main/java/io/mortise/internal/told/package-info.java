/**
 * What listeners and flight recordings are told of attempts, holds and leases, in which order, and
 * on which thread. The package is not exported.
 */
@NullMarked
package io.mortise.internal.told;

import org.jspecify.annotations.NullMarked;
