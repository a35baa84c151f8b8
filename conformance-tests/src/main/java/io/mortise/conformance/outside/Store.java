package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Step.What;
import java.time.Duration;
import java.util.List;

/** The servers of a run: what the workers use there, and how it breaks. */
interface Store extends AutoCloseable {
  /** The URIs for a worker: the main one, then those of the Redlock's servers. */
  List<String> uris(int worker);

  /** The locks that the workers use. */
  List<What> locks();

  /** The lease of holds that are renewed. */
  Duration lease();

  /** The replicas of each master, all of which half of the workers wait for; 0 without any. */
  int replicas();

  /** Every fault of a run, in order, a pure function of the seed. */
  List<PlannedFault> plan(long seed, long millis, int workers);

  /** Carries out a fault of the store. Only one thread at a time may disturb a part of it. */
  void inject(String id, PlannedFault fault);

  /** Logs what is left when the workers are gone. */
  void tellLeftovers();

  @Override
  void close();
}
