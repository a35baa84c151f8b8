/**
 * Locks of Mortise for the components of Spring Integration. Start at {@link
 * io.mortise.spring.integration.MortiseLockRegistry}.
 */
@NullMarked
package io.mortise.spring.integration;

import org.jspecify.annotations.NullMarked;
