/** A backend without a client library: what a backend author's code may look like. */
@NullMarked
package io.mortise.backend.sample;

import org.jspecify.annotations.NullMarked;
