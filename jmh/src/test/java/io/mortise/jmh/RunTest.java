package io.mortise.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.Effort;
import io.mortise.jmh.drive.Pin;
import io.mortise.jmh.drive.Question;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run measures, and what one that continues it measures. */
class RunTest {
  private static final Cell FIRST = new Cell(Contestant.MORTISE_JEDIS, Map.of("threads", "1"));
  private static final Cell SECOND = new Cell(Contestant.MORTISE_JEDIS, Map.of("threads", "16"));

  @TempDir private Path results;

  private final List<Cell> measured = new ArrayList<>();
  private boolean cut;

  @Test
  void everyOtherRoundRunsBackwards() throws Exception {
    assertTrue(run(2));
    assertEquals(List.of(FIRST, SECOND, SECOND, FIRST), measured);
  }

  @Test
  void aRunThatIsContinuedMeasuresWhatIsMissing() throws Exception {
    cut = true;
    assertFalse(run(1));
    assertEquals(List.of(FIRST, SECOND), measured);
    measured.clear();
    cut = false;
    assertTrue(run(1));
    assertEquals(List.of(SECOND), measured);
    assertEquals(4, results().size(), () -> results().toString());
  }

  @Test
  void aRunIsContinuedByAnotherRound() throws Exception {
    assertTrue(run(1));
    measured.clear();
    assertTrue(run(2));
    assertEquals(List.of(SECOND, FIRST), measured);
  }

  private List<String> results() {
    return Stream.of(Objects.requireNonNull(results.toFile().list()))
        .filter(name -> name.endsWith(".json"))
        .toList();
  }

  private boolean run(int rounds) throws InterruptedException {
    Pin pin = Pin.of(ProcessHandle.current().pid());
    Effort effort = Effort.full(URI.create("redis://127.0.0.1:1"), rounds);
    return new Run(List.of(Asked.of(new Noting())), effort, pin, results).all();
  }

  /**
   * Notes the cells that are measured, and writes two files for each. If it is cut, it leaves half
   * of the second result.
   */
  private final class Noting implements Question {
    @Override
    public String id() {
      return "Noting";
    }

    @Override
    public List<Cell> cells() {
      return List.of(FIRST, SECOND);
    }

    @Override
    public void measure(Cell cell, Effort effort, Path file) throws IOException {
      measured.add(cell);
      Files.writeString(file, "[");
      if (cut && cell.equals(SECOND)) {
        throw new IOException("cut");
      }
      Files.writeString(file, "[]");
      Files.writeString(file.resolveSibling("9" + file.getFileName()), "[]"); // such as a turn's
    }
  }
}
