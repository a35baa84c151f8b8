package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Fault.Sort;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Finds tokens that fall. Holds that were good one after the other were acquired in that order, so
 * their tokens rise (L13). The order is unknown from outside if two holds were acquired around a
 * fault that ended the older one. Excused is a counter that was lost after the server's clock
 * stepped back.
 */
final class TokenCheck {
  private final History history;

  private TokenCheck(History history) {
    this.history = history;
  }

  static List<Violation> of(History history) {
    TokenCheck check = new TokenCheck(history);
    List<Violation> found = new ArrayList<>();
    history.resources().forEach(resource -> check.look(resource, found));
    return found;
  }

  private void look(String resource, List<Violation> found) {
    List<Stay> holds =
        history.staysAt(resource).stream()
            .filter(stay -> stay.token() > 0 && stay.isConfirmed())
            .sorted(Comparator.comparingLong(Stay::entered))
            .toList();
    for (int i = 1; i < holds.size(); i++) {
      Stay after = holds.get(i);
      holds.subList(0, i).stream()
          .filter(before -> before.token() >= after.token())
          .filter(before -> !isOrderUnknown(before, after) && !isCounterLost(before, after))
          .findFirst()
          .ifPresent(before -> found.add(fall(resource, before, after)));
    }
  }

  private static Violation fall(String resource, Stay before, Stay after) {
    String text =
        "%s had token %d, and after it %s had %d"
            .formatted(before, before.token(), after, after.token());
    return new Violation(Violation.Sort.TOKEN, resource, after.entered(), text);
  }

  /** The later hold may have been acquired before the fault, and the earlier one after it. */
  private boolean isOrderUnknown(Stay before, Stay after) {
    return history
        .faultsOf(after)
        .filter(fault -> fault.ends(after))
        .anyMatch(fault ->
            before.entered() >= fault.begin() && history.isPerhapsAcquiredBefore(after, fault));
  }

  /**
   * A clock that stepped back leaves the counter ahead of it, also long after the step. Without the
   * counter tokens fall, by no more than the steps.
   */
  private boolean isCounterLost(Stay before, Stay after) {
    long steps =
        history
            .faultsOf(after)
            .filter(fault -> fault.sort() == Sort.CLOCK_BACK)
            .filter(fault -> fault.begin() <= after.entered())
            .mapToLong(fault -> TimeUnit.MILLISECONDS.toMicros(fault.millis()))
            .sum();
    return before.token() - after.token() < steps
        && history
            .faultsOf(after)
            .filter(fault -> fault.isWithin(before.begin(), after.entered(), 0))
            .map(Fault::sort)
            .anyMatch(sort -> sort == Sort.SERVER_FORGET || sort == Sort.COMPANION_DELETED);
  }
}
