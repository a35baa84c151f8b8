@NullMarked
package io.mortise.backend.support.sentinel;

import org.jspecify.annotations.NullMarked;
