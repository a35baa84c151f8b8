/**
 * Distributed locks with the contract of {@link java.util.concurrent.locks.Lock}. Start at {@link
 * io.mortise.LockService}.
 */
@NullMarked
package io.mortise;

import org.jspecify.annotations.NullMarked;
