/** The rules while links, servers and processes fail. */
@NullMarked
package io.mortise.conformance.lock.fault;

import org.jspecify.annotations.NullMarked;
