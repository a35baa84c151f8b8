/**
 * The service provider interface of Mortise. A backend runs scripts and delivers messages, and
 * knows nothing of locks. Start at {@link io.mortise.spi.LockBackend}. The numbered duties are in
 * {@code docs/backend-contract.md}.
 */
@NullMarked
package io.mortise.spi;

import org.jspecify.annotations.NullMarked;
