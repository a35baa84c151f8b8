/**
 * What every lock must do on every backend, by the numbered rules of {@code docs/rules.md}. Start
 * at {@link io.mortise.conformance.lock.LockConformance}.
 */
@NullMarked
package io.mortise.conformance.lock;

import org.jspecify.annotations.NullMarked;
