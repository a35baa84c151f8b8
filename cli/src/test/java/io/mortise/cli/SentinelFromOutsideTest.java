package io.mortise.cli;

import io.mortise.conformance.outside.OutsideConformance;
import io.mortise.spi.Topology;
import java.util.List;

/** Workers on Jedis and on Lettuce, on the same sentinel set. */
class SentinelFromOutsideTest extends OutsideConformance {
  @Override
  protected List<String> providers() {
    return List.of("jedis", "lettuce");
  }

  @Override
  protected Topology topology() {
    return Topology.SENTINEL;
  }
}
