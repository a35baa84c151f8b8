@NullMarked
package io.mortise.conformance.outside;

import org.jspecify.annotations.NullMarked;
