package io.mortise.cli.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FlameGraphTest {
  @Test
  void aStackMayBeAsDeepAsARecordingHasIt() {
    FlameGraph graph = new FlameGraph("all");
    long second = TimeUnit.SECONDS.toNanos(1);
    List<String> deep = Collections.nCopies(2048, "app.Tree.walk:7");

    graph.add(deep, second);
    graph.add(List.of("app.Tree.walk:7"), second);

    assertEquals(2 * second, graph.root().total());
    assertEquals(
        List.of("app.Tree.walk:7 1000", String.join(";", deep) + " 1000"), graph.collapsed());
  }
}
