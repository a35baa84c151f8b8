package io.mortise.backend.inmemory;

import java.time.Duration;

/** The kit on a store in memory, with time that only moves when a test moves it. */
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
