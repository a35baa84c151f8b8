package io.mortise;

import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.Optional;

/**
 * A hold of this service at the moment of the question.
 *
 * @param name the lock's name
 * @param kind the kind of handle that acquired it
 * @param holder the acquisition id, as it is in the store
 * @param threadName the thread that holds it; empty for a {@link Lease}
 * @param heldFor how long that thread or lease has held it
 * @param leaseLeft the time until the lease ends by this process's clock, never negative
 * @param state {@link LeaseState#HELD}, {@link LeaseState#SUSPECT}, or {@link LeaseState#LOST} if
 *     its lease has just ended
 * @param renewed whether the service renews the lease
 * @param levels how many times the thread has locked it; 1 for a lease
 * @param waitingHere how many attempts of this service wait for the same lock
 */
public record HoldInfo(
    String name,
    Kind kind,
    String holder,
    Optional<String> threadName,
    Duration heldFor,
    Duration leaseLeft,
    LeaseState state,
    boolean renewed,
    int levels,
    int waitingHere) {
  /** On one line: control characters are shown as escapes. */
  @Override
  public String toString() {
    return Names.shown(
        "HoldInfo[name=%s, kind=%s, holder=%s, threadName=%s, heldFor=%s, leaseLeft=%s, state=%s, renewed=%s, levels=%s, waitingHere=%s]"
            .formatted(
                name,
                kind,
                holder,
                threadName,
                heldFor,
                leaseLeft,
                state,
                renewed,
                levels,
                waitingHere));
  }
}
