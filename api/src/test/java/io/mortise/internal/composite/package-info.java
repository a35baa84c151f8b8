/** Tests of multi-locks and Redlocks, part by part. */
@NullMarked
package io.mortise.internal.composite;

import org.jspecify.annotations.NullMarked;
