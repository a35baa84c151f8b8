package io.mortise;

import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.Optional;

/**
 * A change of a lease's state: renewal failing, recovered, or lost.
 *
 * @param name the lock's name
 * @param state {@link LeaseState#SUSPECT} after a failed renewal, {@link LeaseState#HELD} after a
 *     later one that succeeded, {@link LeaseState#LOST} when the hold is over
 * @param holder the acquisition id, as it is in the store
 * @param remaining the time until the lease ends by this process's clock, never negative
 * @param cause why it was lost; empty unless the state is {@link LeaseState#LOST}
 * @param reason what the service saw, for people
 */
public record LeaseChange(
    String name,
    LeaseState state,
    String holder,
    Duration remaining,
    Optional<LossCause> cause,
    String reason) {

  /**
   * All of it on one line, as the log has it. Control characters of the name are shown as escapes.
   */
  @Override
  public String toString() {
    return "LeaseChange[name=%s, state=%s, holder=%s, remaining=%s, cause=%s, reason=%s]"
        .formatted(Names.shown(name), state, holder, remaining, cause, reason);
  }
}
