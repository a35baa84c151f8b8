package io.mortise.cli;

import io.mortise.conformance.outside.OutsideConformance;
import java.util.List;

/** Workers on Jedis and on Lettuce, on the same servers. */
class FromOutsideTest extends OutsideConformance {
  @Override
  protected List<String> providers() {
    return List.of("jedis", "lettuce");
  }
}
