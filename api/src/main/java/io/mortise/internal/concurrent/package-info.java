/**
 * Tools for futures and callbacks that know nothing of locks: waiting for a future, and running
 * tasks one after the other, not inside each other. The package is not exported.
 */
@NullMarked
package io.mortise.internal.concurrent;

import org.jspecify.annotations.NullMarked;
