package io.mortise.conformance.outside;

import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** Judges the logs of a run. It is a pure function of the logs. */
final class Checker {
  private static final List<Function<History, List<Violation>>> CHECKS =
      List.of(OverlapCheck::of, GapCheck::of, TokenCheck::of, DutyCheck::of);

  private Checker() {}

  static Verdict judge(List<LogLine> lines) {
    History history = History.of(lines);
    List<Violation> found =
        CHECKS.stream()
            .flatMap(check -> check.apply(history).stream())
            .sorted(Comparator.comparingLong(Violation::at))
            .toList();
    return new Verdict(history, found);
  }
}
