package io.mortise.conformance.outside;

import java.util.List;
import java.util.stream.Stream;

/** Finds violations within one attempt or one line: losses, late answers and leftovers. */
final class DutyCheck {
  /** How late an attempt may end after its deadline: the time of a command on a slow machine. */
  private static final long LATE = 4_000_000_000L;

  private static final long DRIFT = 5_000_000L;

  private final History history;

  private DutyCheck(History history) {
    this.history = history;
  }

  static List<Violation> of(History history) {
    DutyCheck check = new DutyCheck(history);
    Stream<Violation> ofStays = history.stays().stream().flatMap(check::ofStay);
    Stream<Violation> ofLines = history.others().stream().flatMap(DutyCheck::ofLine);
    return Stream.concat(ofStays, ofLines).toList();
  }

  private Stream<Violation> ofStay(Stay stay) {
    String resource = String.join(",", stay.resources());
    Stream.Builder<Violation> found = Stream.builder();
    if (stay.lost() != Stay.NEVER && isWithoutCause(stay)) {
      String text =
          "%s entered at %.3f s and was notified that its hold is over"
              .formatted(stay, stay.entered() / 1e9);
      found.add(new Violation(Violation.Sort.LOST_WITHOUT_CAUSE, resource, stay.lost(), text));
    }
    long late = lateness(stay);
    if (late > LATE) {
      String text = "%s ended %.3f s after its deadline".formatted(stay, late / 1e9);
      found.add(new Violation(Violation.Sort.OVERDUE, resource, stay.begin(), text));
    }
    if (stay.wants().must() && !stay.isInside()) {
      String text = "%s did not enter: %s".formatted(stay, stay.why());
      found.add(new Violation(Violation.Sort.STUCK, resource, stay.begin(), text));
    }
    return found.build();
  }

  /** A hold ends when its renewal fails, so causes within one lease before the loss count. */
  private boolean isWithoutCause(Stay stay) {
    long drift = stay.wants().lease() / 50 + DRIFT; // a Redlock subtracts this for clock drift
    boolean timeOver =
        stay.wants().fixed() && stay.lost() >= stay.begin() + stay.wants().lease() - drift;
    return !timeOver
        && !history.isDisturbed(stay, stay.entered() - stay.wants().lease(), stay.lost());
  }

  private long lateness(Stay stay) {
    long ended = Math.min(stay.decided(), history.endOfProcess(stay));
    if (stay.wants().limit() == Stay.NEVER) {
      return 0;
    }
    long stopped =
        history
            .faultsOf(stay)
            .filter(DutyCheck::stopsProcess)
            .filter(fault -> fault.isWithin(stay.begin(), ended, 0))
            .mapToLong(fault -> fault.end() - fault.begin())
            .sum();
    return ended - stay.begin() - stay.wants().limit() - stopped;
  }

  private static boolean stopsProcess(Fault fault) {
    return fault.sort() == Fault.Sort.FREEZE || fault.sort() == Fault.Sort.STALL;
  }

  private static Stream<Violation> ofLine(LogLine line) {
    return switch (line.verb()) {
      case "key" ->
          line.number("expires") < 0
              ? violation(line, Violation.Sort.LEFTOVER, line.text("server"), "has no expiry")
              : Stream.of();
      case "channel" ->
          violation(line, Violation.Sort.LEFTOVER, line.text("server"), "is still listened to");
      case "thread" -> violation(line, Violation.Sort.LEFTOVER, line.source(), "runs on");
      case History.CALLS ->
          line.number("again") > 0
              ? violation(line, Violation.Sort.TWICE, line.text("name"), "had calls that ran twice")
              : Stream.of();
      case "surprise" -> violation(line, Violation.Sort.WORKER, line.source(), "surprised it");
      default -> Stream.of();
    };
  }

  private static Stream<Violation> violation(
      LogLine line, Violation.Sort sort, String where, String what) {
    String text = line.fields().getOrDefault("name", "") + ' ' + what + " (" + line + ')';
    return Stream.of(new Violation(sort, where, line.at(), text));
  }
}
