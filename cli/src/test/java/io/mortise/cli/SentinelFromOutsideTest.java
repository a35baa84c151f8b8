package io.mortise.cli;

import io.mortise.conformance.outside.OutsideConformance;
import io.mortise.spi.Topology;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Workers on Jedis and on Lettuce, on the same sentinel set. */
@Tag("all")
@Tag("once")
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
