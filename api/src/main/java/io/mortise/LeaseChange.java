package io.mortise;

import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.Optional;

/**
 * A change of a lease's state: suspect, held again, or lost.
 *
 * @param name the lock's name
 * @param state {@link LeaseState#SUSPECT} after a failed renewal, or if the machine may have been
 *     suspended; {@link LeaseState#HELD} when the store has confirmed the hold after that. It is
 *     {@link LeaseState#LOST} when the hold is over
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
