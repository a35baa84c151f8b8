package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Fault.Sort;
import io.mortise.conformance.redis.RedisServer;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** Masters with replicas that take over: what a cluster and a sentinel set do differently. */
interface Group extends AutoCloseable {
  /** After so long the others take a silent master for dead. */
  Duration SILENCE = Duration.ofMillis(1_500);

  URI uri();

  /** The servers with data. */
  List<RedisServer> nodes();

  /** How many masters there are, when all is well. */
  int masters();

  /** The replicas of each master. */
  int replicas();

  /** The locks, of those with these names, that a running master has. */
  List<String> locksOf(RedisServer master, List<String> names);

  /** Waits until all replicas follow their masters, and clients can know it. */
  void awaitHealthy();

  /**
   * Waits, when a master was replaced, until no call to it can still be waited for. From then on it
   * may come back.
   */
  void awaitNoMoreCallsTo(RedisServer master);

  /** The faults that only such a group has. */
  List<Sort> sorts();

  /**
   * Carries out one of these faults.
   *
   * @param resource a lock
   */
  void spoil(Log log, String id, PlannedFault fault, String resource);

  @Override
  void close();
}
