package io.mortise.cli;

import io.mortise.LockStatus;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lock as {@code top} sees it. The store does not keep when a hold began, so the time since its
 * first sight stands for it.
 *
 * @param lock what is held
 * @param held how long its first holder has been seen
 * @param whole whether the hold began while {@code top} was looking, so that {@code held} is all
 * @param share what is left of the lease, from 0 to 1, of the longest that was seen of this hold
 */
record Sighting(LockStatus lock, Duration held, boolean whole, double share) {
  /** The time with a mark where the hold may be older. */
  String heldText() {
    return (whole ? "" : "> ") + Text.time(held);
  }

  Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> object = LockView.object(lock);
    object.put("heldMillis", held);
    object.put("heldWhole", whole);
    object.put("leaseShare", Math.round(share * 100) / 100.0);
    return object;
  }
}
