package io.mortise.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a store that were read when its backend was opened.
 *
 * @param endpoint the store's address in messages, without a secret
 * @param serverVersion the version that the server reports, such as {@code "7.0.15"}
 * @param publishCounts whether {@code PUBLISH} in a script replies with the number of all
 *     subscribers, as a single server does and a cluster does not
 * @param anyKeys whether one call may use keys of several hash slots
 * @param topology how many servers the store is made of
 * @param downAfter how long a master is silent before the store begins to replace it; null if that
 *     is not known
 */
public record BackendInfo(
    String endpoint,
    String serverVersion,
    boolean publishCounts,
    boolean anyKeys,
    Topology topology,
    @Nullable Duration downAfter) {
  /**
   * Facts about a store of one server.
   *
   * @param endpoint the store's address in messages, without a secret
   * @param serverVersion the version that the server reports
   * @param publishCounts whether {@code PUBLISH} in a script counts all subscribers
   * @param anyKeys whether one call may use keys of several hash slots
   */
  public BackendInfo(
      String endpoint, String serverVersion, boolean publishCounts, boolean anyKeys) {
    this(endpoint, serverVersion, publishCounts, anyKeys, Topology.SINGLE, null);
  }

  /**
   * Whether a channel can be kept to the node of its hash slot. Then a script sends to it by {@code
   * SPUBLISH}, and {@link LockBackend#subscribeSharded} listens to it.
   *
   * @return true for a cluster of version 7.0 or later
   */
  public boolean shardsChannels() {
    return topology == Topology.CLUSTER && !serverVersion.matches("[0-6](\\..*)?");
  }
}
