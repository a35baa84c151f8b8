package io.mortise.backend.support.sentinel;

import io.mortise.backend.support.AddressMap;
import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;

/**
 * The servers of a sentinel set, reached at other addresses than the sentinels name.
 *
 * @param nodes opens a server where it is reached
 * @param addresses from the names to those
 */
public record MappedServers(SentinelNodes nodes, AddressMap addresses) implements SentinelNodes {
  @Override
  public LockBackend master(String place) {
    return addresses.open(place, nodes::master);
  }

  @Override
  public Sentinel sentinel(String place) {
    return addresses.open(place, nodes::sentinel);
  }

  @Override
  public TimeSource time() {
    return nodes.time();
  }

  @Override
  public void close() {
    nodes.close();
  }
}
