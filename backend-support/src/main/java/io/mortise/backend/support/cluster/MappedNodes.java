package io.mortise.backend.support.cluster;

import io.mortise.backend.support.AddressMap;
import io.mortise.spi.TimeSource;

/**
 * The nodes of a cluster, reached at other addresses than it names.
 *
 * @param nodes opens a node where it is reached
 * @param addresses from the names to those
 */
public record MappedNodes(ClusterNodes nodes, AddressMap addresses) implements ClusterNodes {
  @Override
  public int slot(String key) {
    return nodes.slot(key);
  }

  @Override
  public Node open(String place) {
    return addresses.open(place, nodes::open);
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
