package io.mortise.backend.inmemory;

import java.time.Duration;

/** A kit on a store in memory, whose time only a test moves. */
interface MovedTimeKit extends MemoryKit {
  @Override
  default String backendName() {
    return "memory-moved-time";
  }

  @Override
  default void passTime(Duration duration) {
    store().advance(duration);
  }
}
