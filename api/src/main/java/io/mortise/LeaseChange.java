package io.mortise;

import java.time.Duration;

/**
 * A change in how a hold stands.
 *
 * @param name the lock
 * @param state {@link LeaseState#SUSPECT} after a failed renewal, {@link LeaseState#HELD} when a
 *     later one succeeded, {@link LeaseState#LOST} when the hold is over
 * @param holder the acquisition's id, which is also in the store
 * @param remaining time until the local deadline, never negative
 * @param reason what was seen
 */
public record LeaseChange(
    String name, LeaseState state, String holder, Duration remaining, String reason) {}
