/** Tests of the engine, part by part. */
@NullMarked
package io.mortise.internal.engine;

import org.jspecify.annotations.NullMarked;
