package io.mortise.jmh.contestant;

import java.net.URI;
import java.util.List;

/** The nodes that a {@code redis-cluster://} URI names. */
final class ClusterNodes {
  private static final String SCHEME = "redis-cluster://";

  private ClusterNodes() {}

  static boolean isCluster(URI uri) {
    return uri.toString().startsWith(SCHEME);
  }

  /** The {@code host:port} of each. */
  static List<String> of(URI uri) {
    return List.of(uri.toString().substring(SCHEME.length()).split(",", -1));
  }
}
