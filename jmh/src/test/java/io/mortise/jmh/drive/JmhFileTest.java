package io.mortise.jmh.drive;

import static io.mortise.jmh.contestant.Contestant.REDISSON;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Results;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is not measured by JMH. */
class JmhFileTest {
  @Test
  void whatADriverWritesIsReadLikeAResultOfJmh(@TempDir Path folder) throws Exception {
    Cell cell = new Cell(REDISSON, Map.of("work", "20"));
    JmhFile.write(folder.resolve("3-1.json"), "TwoByOne", cell, 12.5, Map.of("share", 0.4));

    Results results = Results.read(folder);
    Figure figure = new Figure("TwoByOne", REDISSON).with("work", 20);
    assertEquals(OptionalDouble.of(12.5), figure.in(results, 3));
    assertEquals(OptionalDouble.of(0.4), figure.metric("share").in(results, 3));
    assertEquals(OptionalDouble.empty(), figure.in(results, 1));
  }
}
