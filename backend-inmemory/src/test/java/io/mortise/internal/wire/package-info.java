/** Tests of the scripts as calls, on the store in memory and on a real server. */
@org.jspecify.annotations.NullMarked
package io.mortise.internal.wire;
