package io.mortise.spi;

/** How many servers a store is made of, and what makes one of them the master. */
public enum Topology {
  /** One server, or an address behind which one server at a time is the master. */
  SINGLE,
  /** One master and its replicas; sentinels choose the master. */
  SENTINEL,
  /** A Redis Cluster: each of several masters has a share of the hash slots. */
  CLUSTER
}
