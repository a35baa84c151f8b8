package io.mortise.conformance.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.outside.Violation.Sort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs with a violation of each sort, and logs that only look like one. Times are ms. */
class CheckerTest {
  private static final String LOCK = "of=a on=main lease=2000";

  private final List<LogLine> lines = new ArrayList<>();

  /** Adds lines of a source: {@code "100 in stay=1"}. Times in fields are ms too. */
  private void log(String source, String... texts) {
    for (String text : texts) {
      String[] words = text.split(" ", 3);
      String rest = words.length < 3 ? "" : ' ' + words[2];
      String nanos = rest.replaceAll("((lease|limit|until)=\\d+)", "$1000000");
      lines.add(LogLine.parse(words[0] + "000000 " + source + ' ' + words[1] + nanos));
    }
  }

  private void stay(String source, String fields, long from, long until) {
    String stay = " stay=" + lines.size();
    log(
        source,
        from + " wait" + stay + ' ' + fields,
        from + " in" + stay,
        from + " ok" + stay,
        until + " ok" + stay,
        until + " out" + stay,
        until + " free" + stay);
  }

  private void fault(String fields, long from, long until) {
    String id = "id=" + lines.size();
    log("run", from + " fault " + id + ' ' + fields, until + " over " + id);
  }

  private List<Sort> found() {
    return Checker.judge(lines).violations().stream().map(Violation::sort).toList();
  }

  private void assertFound(Sort... sorts) {
    assertEquals(List.of(sorts), found(), () -> Checker.judge(lines).report().toString());
  }

  @Test
  void oneAfterTheOtherIsNoViolation() {
    stay("w1", LOCK, 100, 200);
    stay("w2", LOCK, 200, 300);
    assertFound();
  }

  @Test
  void twoHoldersAtTheSameTimeAreAnOverlap() {
    stay("w1", LOCK, 100, 200);
    stay("w2", LOCK, 199, 300);
    stay("w3", "of=b on=main lease=2000", 150, 160);
    assertFound(Sort.OVERLAP);
  }

  @Test
  void aHolderOfSeveralLocksHoldsEach() {
    stay("w1", "of=a,b on=main lease=2000", 100, 200);
    stay("w2", "of=b on=main lease=2000", 150, 160);
    assertFound(Sort.OVERLAP);
  }

  @Test
  void aHoldCountsUntilTheLastLookThatFoundItGood() {
    log("w1", "100 wait stay=1 fixed=true " + LOCK.replace("2000", "50"));
    log("w1", "100 in stay=1", "149 ok stay=1", "300 lost stay=1");
    stay("w2", LOCK, 150, 160);
    assertFound();
    stay("w3", LOCK, 148, 149);
    assertFound(Sort.OVERLAP);
  }

  @Test
  void aPromisedLeaseKeepsOthersOutAlsoIfItsHolderIsKilled() {
    log("w1", "100 wait stay=1 " + LOCK, "100 in stay=1", "150 ok stay=1 until=2000");
    fault("sort=kill client=w1", 160, 170);
    stay("w2", LOCK, 1_999, 2_100);
    assertFound(Sort.OVERLAP);
  }

  @Test
  void readersAndPermitsShareAndWritersDoNot() {
    String read = LOCK + " capacity=1000 weight=1";
    stay("w1", read, 100, 200);
    stay("w2", read, 110, 210);
    assertFound();
    stay("w3", LOCK + " capacity=1000 weight=1000", 205, 300);
    assertFound(Sort.OVERLAP);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sort=server-forget server=main",
        "sort=clock-forward server=main millis=5000",
        "sort=forced resource=a",
        "sort=deleted resource=a server=main",
        "sort=last-writes-lost resource=b,a server=main"
      })
  void whatTheContractExcusesEndsHoldsFromBeforeForOneLease(String fault) {
    stay("w1", LOCK, 100, 2_000);
    fault(fault, 1_000, 1_001);
    stay("w2", LOCK, 1_300, 1_400);
    assertFound();
    stay("w3", LOCK, 1_350, 1_360); // both were acquired afterwards
    assertFound(Sort.OVERLAP);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sort=clock-forward server=main millis=5000",
        "sort=deleted resource=a server=main"
      })
  void aLostHoldMayBeHandedOffInItsProcessForASecond(String fault) {
    stay("w1", LOCK, 900, 1_200);
    fault(fault, 1_000, 1_001);
    stay("w1", LOCK, 1_300, 1_400);
    stay("w2", LOCK, 1_350, 1_360);
    assertFound();
    stay("w1", LOCK, 2_200, 2_300);
    stay("w2", LOCK, 2_250, 2_260);
    assertFound(Sort.OVERLAP);
  }

  @Test
  void aHoldThatIsBelievedLongerThanALeaseIsNotExcused() {
    stay("w1", LOCK, 100, 4_000);
    fault("sort=forced resource=a", 1_000, 1_001);
    stay("w2", LOCK, 3_100, 3_200);
    assertFound(Sort.OVERLAP);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sort=freeze client=w1",
        "sort=server-freeze server=main",
        "sort=server-restart server=main",
        "sort=clock-back server=main millis=5000",
        "sort=companion-deleted resource=a server=main",
        "sort=server-away server=main",
        "sort=server-forget server=other",
        "sort=forced resource=b",
        "sort=last-writes-lost resource=b server=main",
        "sort=promotion server=main",
        "sort=master-kill server=main",
        "sort=master-freeze server=main",
        "sort=clients-cut server=main",
        "sort=slot-moved resource=a server=main",
        "sort=slot-stuck resource=a server=main",
        "sort=slots-gone server=main",
        "sort=sentinels-freeze server=sentinels"
      })
  void nothingElseIsExcused(String fault) {
    stay("w1", LOCK, 100, 2_000);
    fault(fault, 1_000, 1_001);
    stay("w2", LOCK, 1_300, 1_400);
    assertFound(Sort.OVERLAP);
  }

  @Test
  void aHoldThatAllReplicasHaveSurvivesThatAMasterIsLost() {
    stay("w1", LOCK + " replicated=true", 100, 2_000);
    fault("sort=last-writes-lost resource=a server=main", 1_000, 1_001);
    stay("w2", LOCK, 1_300, 1_400);
    assertFound(Sort.OVERLAP);
  }

  @Test
  void anotherHoldIsExcusedBesideOneThatAllReplicasHave() {
    stay("w1", LOCK, 100, 2_000);
    fault("sort=last-writes-lost resource=a server=main", 1_000, 1_001);
    stay("w2", LOCK + " replicated=true", 1_300, 1_400);
    assertFound();
  }

  @Test
  void aWaiterThatTheNextMasterLetInHasNoExcuse() {
    fault("sort=master-kill server=main", 1_000, 3_000);
    fault("sort=promotion server=main", 990, 2_000);
    fault("sort=last-writes-lost resource=a server=main", 990, 2_000);
    log("w1", "500 wait stay=1 " + LOCK, "2500 in stay=1", "2800 ok stay=1", "2800 out stay=1");
    stay("w2", LOCK, 2_600, 2_700);
    assertFound(Sort.OVERLAP);
  }

  @Test
  void aReportThatAFreezeDelayedIsExcusedWithTheWritesThatWereLost() {
    fault("sort=last-writes-lost resource=a server=main", 990, 2_000);
    fault("sort=freeze client=w1", 900, 2_500);
    log("w1", "500 wait stay=1 " + LOCK, "2500 in stay=1", "2800 ok stay=1", "2800 out stay=1");
    stay("w2", LOCK, 2_600, 2_700);
    assertFound();
  }

  @Test
  void ofSeveralLocksOnlyThoseOfTheLostMasterAreExcused() {
    stay("w1", "of=a,b on=main lease=2000", 100, 2_000);
    fault("sort=last-writes-lost resource=a server=main", 1_000, 1_001);
    stay("w2", LOCK, 1_300, 1_400);
    assertFound();
    stay("w3", "of=b on=main lease=2000", 1_300, 1_400);
    assertFound(Sort.OVERLAP);
  }

  @Test
  void aFaultThatFoundNothingExcusesNothing() {
    stay("w1", LOCK, 100, 2_000);
    log("run", "1000 fault id=x sort=forced resource=a", "1001 over id=x nothing=true");
    stay("w2", LOCK, 1_300, 1_400);
    assertFound(Sort.OVERLAP);
  }

  private void waiter(long from, long until) {
    String stay = " stay=" + lines.size();
    log("w2", from + " wait" + stay + ' ' + LOCK, until + " not" + stay + " why=refused");
  }

  @Test
  void aFreeLockAndAWaiterAreAGap() {
    stay("w1", LOCK, 100, 200);
    waiter(150, 5_100);
    assertFound();
    waiter(150, 5_300);
    assertFound(Sort.GAP);
  }

  @Test
  void faultsOfOthersMakeAGapLongerAndNotEndless() {
    fault("sort=freeze client=w9", 300, 900);
    waiter(150, 15_100);
    assertFound();
    waiter(150, 15_200);
    assertFound(Sort.GAP);
  }

  @Test
  void aWaiterThatIsFrozenOrCutOffOrHasNoServerDoesNotCount() {
    waiter(0, 20_000);
    fault("sort=freeze client=w2", 1_000, 6_000);
    fault("sort=half-open client=w2 server=main", 10_000, 11_000);
    fault("sort=server-freeze server=main", 15_000, 16_000);
    assertFound();
  }

  @Test
  void theLeaseOfOneThatWasKilledIsNoGap() {
    log("w1", "0 wait stay=1 of=a on=main lease=30000", "10 in stay=1", "11 ok stay=1");
    fault("sort=kill client=w1", 20, 30);
    waiter(100, 35_000);
    assertFound();
    waiter(100, 35_100);
    assertFound(Sort.GAP);
  }

  private void token(String source, long at, long token) {
    log(
        source,
        at + " wait stay=1 " + LOCK,
        at + " in stay=1 token=" + token,
        at + " ok stay=1",
        at + " out stay=1",
        at + " free stay=1");
  }

  @ParameterizedTest
  @ValueSource(longs = {6, 7})
  void aTokenThatDoesNotRiseIsAViolation(long second) {
    token("w1", 100, 7);
    token("w2", 200, second);
    assertFound(Sort.TOKEN);
  }

  @Test
  void aLostCounterIsNoExcuseWithoutAStepBack() {
    token("w1", 100, 7);
    fault("sort=server-forget server=main", 150, 151);
    token("w2", 1_200, 6);
    assertFound(Sort.TOKEN);
    fault("sort=clock-back server=main millis=100", 152, 153);
    assertFound();
  }

  @Test
  void aCounterIsAheadOfItsClockLongAfterAStepBack() {
    fault("sort=clock-back server=main millis=2", 10, 11);
    token("w1", 100, 3_000);
    fault("sort=server-forget server=main", 150, 151);
    token("w2", 1_200, 1_001);
    assertFound();
  }

  @Test
  void withoutItsCounterATokenFallsByNoMoreThanTheStepBack() {
    fault("sort=clock-back server=main millis=2", 10, 11);
    token("w1", 100, 3_000);
    fault("sort=server-forget server=main", 150, 151);
    token("w2", 1_200, 1_000);
    assertFound(Sort.TOKEN);
  }

  @Test
  void holdsAroundAForcedUnlockHaveNoKnownOrder() {
    fault("sort=forced resource=a", 100, 101);
    token("w1", 105, 70);
    token("w2", 110, 7); // perhaps handed off in its process, and not notified yet
    assertFound();
    token("w3", 400, 8);
    assertFound(Sort.TOKEN);
  }

  private void lose(String fields, long at) {
    log(
        "w1",
        "4000 wait stay=1 " + fields,
        "4000 in stay=1",
        "4001 ok stay=1",
        at + " lost stay=1");
  }

  @Test
  void aHoldThatIsLostWithoutACauseIsAViolation() {
    lose(LOCK, 6_001);
    assertFound(Sort.LOST_WITHOUT_CAUSE);
    fault("sort=server-freeze server=main", 4_100, 6_200);
    assertFound();
  }

  @Test
  void aFixedLeaseEndsAndNotBefore() {
    lose(LOCK + " fixed=true", 6_000);
    assertFound();
    lines.clear();
    lose(LOCK + " fixed=true", 5_900);
    assertFound(Sort.LOST_WITHOUT_CAUSE);
  }

  @Test
  void anAttemptThatEndsLongAfterItsDeadlineIsOverdue() {
    log("w1", "0 wait stay=1 limit=1000 " + LOCK, "5100 not stay=1 why=failed");
    assertFound(Sort.OVERDUE);
    fault("sort=stall client=w1", 900, 1_900);
    assertFound();
  }

  @Test
  void anAttemptThatMustSucceedAndDoesNotIsStuck() {
    log("w1", "0 wait stay=1 must=true limit=1000 " + LOCK, "1000 not stay=1 why=refused");
    assertFound(Sort.STUCK);
  }

  @Test
  void keysWithoutExpiryChannelsThreadsAndSurprisesAreReported() {
    log("run", "1 key server=main name=x expires=100");
    assertFound();
    log("run", "1 key server=main name=x expires=-1", "2 channel server=main name=y");
    log("w1", "3 thread name=z", "4 surprise name=NullPointerException");
    assertFound(Sort.LEFTOVER, Sort.LEFTOVER, Sort.LEFTOVER, Sort.WORKER);
  }

  @Test
  void aCallThatRanTwiceIsAViolation() {
    log("run", "1 calls server=main name=x ran=100 again=0");
    assertFound();
    log("run", "1 calls server=main name=y ran=100 again=1");
    assertFound(Sort.TWICE);
  }

  @Test
  void sentinelsThatAreAwayAreNoCauseOfALoss() {
    fault("sort=sentinels-freeze server=sentinels", 4_100, 6_200);
    lose(LOCK, 6_001);
    assertFound(Sort.LOST_WITHOUT_CAUSE);
  }

  @Test
  void aFaultThatWasNotOverLastsUntilTheEnd() {
    waiter(0, 20_000);
    log("run", "10 fault id=x sort=server-freeze server=main");
    assertFound();
  }

  @Test
  void linesOfAKilledProcessAreReadButForATornOne(@TempDir Path folder) throws Exception {
    try (Log log = new Log(folder, "w1.1", System.nanoTime())) {
      log.tell("wait", "stay", 1, "of", "a", "text", "with a blank");
    }
    Files.writeString(
        folder.resolve("w1.1.log"), Files.readString(folder.resolve("w1.1.log")) + "12 w1.1 in st");
    List<LogLine> read = Log.readAll(folder);
    assertEquals(1, read.size());
    assertEquals("with_a_blank", read.get(0).text("text"));
    assertEquals(read.get(0), LogLine.parse(read.get(0).toString()));
  }

  @Test
  void theSeedDecidesThePlanAndEverySortComes() {
    List<PlannedFault> plan = PlannedFault.plan(7, 600_000, 4, 4);
    assertEquals(plan, PlannedFault.plan(7, 600_000, 4, 4));
    assertNotEquals(plan, PlannedFault.plan(8, 600_000, 4, 4));
    List<Fault.Sort> others = List.of(Fault.Sort.STALL, Fault.Sort.FORCED); // never planned
    assertEquals(
        Stream.of(Fault.Sort.values())
            .filter(each -> each.compareTo(Fault.Sort.MASTER_KILL) < 0 && !others.contains(each))
            .toList(),
        plan.stream().map(PlannedFault::sort).distinct().sorted().toList());
  }

  @Test
  void theFaultsOfAGroupComeInTurn() {
    List<Fault.Sort> sorts = List.of(Fault.Sort.MASTER_KILL, Fault.Sort.SLOT_MOVED);
    List<PlannedFault> plan = PlannedFault.plan(7, 60_000, 4, sorts);
    List<Fault.Sort> ofGroup =
        plan.stream().map(PlannedFault::sort).filter(sorts::contains).toList();
    assertTrue(ofGroup.size() > 20);
    for (int i = 0; i + 1 < ofGroup.size(); i += 2) {
      assertEquals(Set.copyOf(sorts), Set.copyOf(ofGroup.subList(i, i + 2)));
    }
    assertTrue(plan.stream().anyMatch(fault -> fault.sort() == Fault.Sort.KILL));
    assertTrue(plan.stream().anyMatch(fault -> fault.sort() == Fault.Sort.FREEZE));
  }
}
