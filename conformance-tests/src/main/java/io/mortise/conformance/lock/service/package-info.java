/** The rules of a service as a whole: its start, its end, and what it leaves behind. */
@NullMarked
package io.mortise.conformance.lock.service;

import org.jspecify.annotations.NullMarked;
