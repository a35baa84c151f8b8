package io.mortise.jmh.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.jmh.contestant.Contestant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page has what was measured, and nothing else. */
class MemoryPageTest {
  private final Findings findings = new Findings();
  private final MemoryPage page = new MemoryPage(findings, false);

  @Test
  void aRowHasTheMedianTheSpreadAndADashForWhatWasNotMeasured() {
    for (double heap : new double[] {300, 100, 200}) {
      findings.add(
          Subject.HELD_LOCK,
          Contestant.REDISSON,
          Map.of(Figure.HEAP, heap, Figure.STORE, 150.0, Figure.THREADS, 0.0));
    }
    String row = "|  | Redisson | 200 (100–300) | 150 | 0 | – |";
    assertTrue(page.tables().contains(row), page::tables);
  }

  @Test
  void aTableWithoutFiguresIsLeftOut() {
    assertEquals("", page.tables());
    findings.add(Subject.SERVICE, Contestant.MORTISE_JEDIS, Map.of(Figure.THREADS, 2.0));
    assertTrue(page.tables().contains("## One service"), page::tables);
    assertFalse(page.tables().contains(Subject.BUSY_SERVICE.title()), page::tables);
    assertFalse(page.tables().contains("## Names used once"), page::tables);
  }

  @Test
  void aFailedTrialOfOneContestantLeavesARowOfDashes() {
    findings.add(Subject.SERVICE, Contestant.MORTISE_JEDIS, Map.of(Figure.THREADS, 2.0));
    assertTrue(page.tables().contains("| Redisson | – | – | – | – | – |"), page::tables);
  }
}
