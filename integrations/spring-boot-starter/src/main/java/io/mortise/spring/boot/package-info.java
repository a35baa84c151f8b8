/**
 * Locks in the Redis of a Spring Boot application.
 *
 * <p>Start at {@link io.mortise.spring.boot.MortiseProperties}. {@code MortiseAutoConfiguration}
 * opens the lock service on the store that {@code StoreChoice} finds.
 */
@NullMarked
package io.mortise.spring.boot;

import org.jspecify.annotations.NullMarked;
