/** A backend without a client library, as an example for authors of backends. */
@NullMarked
package io.mortise.backend.sample;

import org.jspecify.annotations.NullMarked;
