/**
 * The service provider interface of Mortise: a backend runs scripts and delivers messages, and
 * knows nothing of locks. Start at {@link io.mortise.spi.LockBackend}; the numbered duties are in
 * {@code docs/backend-contract.md}.
 */
@NullMarked
package io.mortise.spi;

import org.jspecify.annotations.NullMarked;
