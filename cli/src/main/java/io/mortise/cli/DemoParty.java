package io.mortise.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One process's part in the demo: its workers, all on one counter. */
interface DemoParty extends AutoCloseable {
  /**
   * Begins a run.
   *
   * @return the tally at the end of the run; fails as soon as one worker fails
   */
  CompletableFuture<Tally> start(Phase phase, Duration duration);

  /** The tally since the last start. */
  Tally soFar();

  @Override
  void close();
}
