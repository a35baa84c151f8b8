package io.mortise.cli;

import io.mortise.conformance.outside.OutsideConformance;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Workers on Jedis and on Lettuce, on the same servers. */
@Tag("ci")
@Tag("once")
class FromOutsideTest extends OutsideConformance {
  @Override
  protected List<String> providers() {
    return List.of("jedis", "lettuce");
  }
}
