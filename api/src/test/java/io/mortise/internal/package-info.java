@NullMarked
package io.mortise.internal;

import org.jspecify.annotations.NullMarked;
