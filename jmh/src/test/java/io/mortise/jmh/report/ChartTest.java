package io.mortise.jmh.report;

import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A chart has room for what is drawn. */
class ChartTest {
  private static final double WIDTH = 860;

  /** The numbers of an axis are outlines: the last one stands above the plot's right edge. */
  @Test
  void theLastNumberOfTheAxisIsNotCutOff(@TempDir Path folder) throws Exception {
    Spread most = new Spread(77_500, 77_500, 77_500, 1); // so the axis ends just behind 100,000
    Path file = folder.resolve("chart.svg");
    new Chart(
            new Topic("Speed", "speed", "pairs/s"), List.of(new Chart.Bar(MORTISE_JEDIS, "", most)))
        .write(file);

    double right =
        Pattern.compile("[ML](\\d+\\.\\d+) ")
            .matcher(Files.readString(file))
            .results()
            .mapToDouble(each -> Double.parseDouble(each.group(1)))
            .max()
            .orElseThrow();
    assertTrue(right > WIDTH - 100 && right < WIDTH, () -> "drawn up to " + right);
  }
}
