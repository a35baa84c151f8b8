package io.mortise.jmh.drive;

import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.REDISSON;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Results;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Figures that JMH does not measure. */
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

  @Test
  void figuresAreAddedToWhatIsThere(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("1-1.json");
    Cell cell = new Cell(REDISSON, Map.of());
    JmhFile.write(file, "OwnLock", cell, 12.5, Map.of("share", 0.4));
    JmhFile.add(file, Map.of("warm-up, s", 11.0));

    Results results = Results.read(folder);
    Figure figure = new Figure("OwnLock", REDISSON);
    assertEquals(OptionalDouble.of(12.5), figure.in(results, 1));
    assertEquals(OptionalDouble.of(0.4), figure.metric("share").in(results, 1));
    assertEquals(OptionalDouble.of(11), figure.metric("warm-up, s").in(results, 1));
  }

  @Test
  void severalCellsOfOneFileAreReadAsOneRound(@TempDir Path folder) throws Exception {
    Map<Cell, Double> turn =
        Map.of(new Cell(REDISSON, Map.of()), 5.0, new Cell(MORTISE_JEDIS, Map.of()), 20.0);
    JmhFile.write(folder.resolve("4-007.json"), "TurnsOwnLock", turn);

    Results results = Results.read(folder);
    Figure figure = new Figure("TurnsOwnLock", REDISSON);
    assertEquals(OptionalDouble.of(5), figure.in(results, 4));
    assertEquals(OptionalDouble.of(20), figure.of(MORTISE_JEDIS).in(results, 4));
  }
}
