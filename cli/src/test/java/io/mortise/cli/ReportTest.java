package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final DemoPlan PLAN =
      new DemoPlan(
          URI.create("redis://:s3cret@host"),
          List.of("jedis", "lettuce"),
          DemoLock.PLAIN,
          Duration.ZERO,
          4,
          Duration.ofSeconds(1));

  private static WorkerGroup.Run run(long counted, Tally... parts) {
    return new WorkerGroup.Run(List.of(parts), counted, Duration.ofSeconds(1));
  }

  private static Tally tally(long increments) {
    return new Tally(increments, increments / 4, increments, increments / 2, 0, 0, 0);
  }

  @Test
  void aRightReportHasATableForTheRunsAndOneForTheProcesses() {
    Report report =
        new Report(PLAN, run(900, tally(600), tally(600)), run(1000, tally(750), tally(250)));
    assertTrue(report.isRight());
    assertEquals(
        """
        run             expected  counted  lost  operations/s
        --------------  --------  -------  ----  ------------
        without a lock     1,200      900   300         1,200
        with Mortise       1,000    1,000     0         1,000

        with Mortise: 0.249 commands per operation, 50.0 % local hand-offs

        process  backend  with Mortise   share  commands/operation  local hand-offs
        -------  -------  ------------  ------  ------------------  ---------------
        1        jedis             750  75.0 %               0.249           50.0 %
        2        lettuce           250  25.0 %               0.248           50.0 %

        Without a lock 25.0 % of the increments were lost; with Mortise none.
        """,
        String.join("\n", report.lines()) + "\n");
  }

  @Test
  void theTablesOfAnHourFitInEightyColumns() {
    Tally all =
        new Tally(360_000_000_000L, 90_000_000_000L, 360_000_000_000L, 1_000_000_000L, 0, 0, 0);
    WorkerGroup.Run hour = new WorkerGroup.Run(List.of(all, Tally.NONE), 1, Duration.ofHours(1));

    List<String> lines = new Report(PLAN, hour, hour).lines();

    List<String> tables = lines.subList(0, lines.size() - 1);
    assertTrue(tables.stream().allMatch(line -> line.length() <= 80), String.join("\n", tables));
  }

  @Test
  void aWrongCountIsSaidLoudly() {
    Report report = new Report(PLAN, run(9, tally(10)), run(99, tally(100)));
    assertFalse(report.isRight());
    assertTrue(
        report.lines().stream()
            .anyMatch(line ->
                line.startsWith("WRONG: with Mortise the counter should be 100 and is 99.")));
  }

  @Test
  void whatAFailoverHasCostIsShown() {
    Tally tally = new Tally(100, 200, 100, 0, 3, 1, 2_140);
    Report report = new Report(PLAN, run(9, tally(10)), run(99, tally));
    String lines = String.join("\n", report.lines());
    assertTrue(
        lines.contains(
            "with Mortise: longest pause 2.1 s, 3 attempts without a master, 1 holds lost"),
        lines);
    assertTrue(lines.contains("1 increments were lost, because a failover lost 1 holds"), lines);
  }

  @Test
  void aCountTooHighIsWrongToo() {
    assertFalse(new Report(PLAN, run(9, tally(10)), run(101, tally(100))).isRight());
  }

  @Test
  void aRunWithoutWorkIsNoDivisionByZero() {
    Report report = new Report(PLAN, run(0, Tally.NONE), run(0, Tally.NONE));
    assertTrue(report.isRight());
    assertFalse(report.lines().toString().contains("NaN"), report.lines()::toString);
  }

  @Test
  void thePlanShowsNoPassword() {
    assertEquals(
        "2 processes, 4 workers each, a plain lock, on redis://host by jedis and lettuce, 1 s for each run",
        PLAN.toString());
  }

  @Test
  void thePlanCallsARedlockByItsName() {
    DemoPlan red =
        new DemoPlan(
            URI.create("memory:demo"),
            List.of("memory"),
            DemoLock.RED,
            Duration.ZERO,
            1,
            Duration.ofSeconds(2));

    assertTrue(red.toString().startsWith("1 process, 1 worker, a Redlock, on"), red::toString);
  }

  @Test
  void thePlanSaysHowLongALockIsRetained() {
    DemoPlan retaining =
        new DemoPlan(
            URI.create("memory:demo"),
            List.of("memory"),
            DemoLock.PLAIN,
            Duration.ofMillis(500),
            1,
            Duration.ofSeconds(2));

    assertEquals(
        "1 process, 1 worker, a plain lock retained up to 500 ms, on memory:demo by memory, 2 s for each run",
        retaining.toString());
  }

  @Test
  void aTallySurvivesItsText() {
    Tally tally = new Tally(1, 2, 3, 4, 5, 6, 7);
    assertEquals(tally, Tally.parse(tally.text()));
    assertEquals(new Tally(2, 4, 6, 8, 10, 12, 7), Tally.sum(List.of(tally, tally)));
  }
}
