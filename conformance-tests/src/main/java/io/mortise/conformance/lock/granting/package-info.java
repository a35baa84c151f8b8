/**
 * The rules of grants: a lock goes from one holder to the next, in which order, and to nobody
 * twice.
 */
@NullMarked
package io.mortise.conformance.lock.granting;

import org.jspecify.annotations.NullMarked;
