/** The rules of leases, with threads and without. */
@NullMarked
package io.mortise.conformance.lock.lease;

import org.jspecify.annotations.NullMarked;
