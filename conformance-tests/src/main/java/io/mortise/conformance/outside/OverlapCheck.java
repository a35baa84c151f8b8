package io.mortise.conformance.outside;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Finds moments at which more were inside by good holds than a lock has room for.
 *
 * <p>A hold counts from the moment its worker knew of it until the last moment it was told that it
 * is good, so two that overlap here did overlap. Excused is what the lock contract excuses under
 * "What no lock of this kind can promise": data that is lost, a deleted key, a clock that steps
 * forward, and a forced unlock end what was acquired before. L9 bounds that: within one lease the
 * holder is told, and from then on its hold counts again. A step forward also spoils holds that
 * begin on the message of a grant, for as long as the waiter may have had an older time in hand.
 */
final class OverlapCheck {
  /** How old the server's time may be that a grant's message is compared with. */
  private static final long SAMPLE = 10_000_000_000L;

  private final History history;
  private final List<Violation> found = new ArrayList<>();

  /** A stretch of time in which a hold counts. */
  private record Held(Span span, Stay stay) {}

  private OverlapCheck(History history) {
    this.history = history;
  }

  static List<Violation> of(History history) {
    OverlapCheck check = new OverlapCheck(history);
    history.resources().forEach(check::look);
    return check.found;
  }

  private void look(String resource) {
    List<Held> inside = new ArrayList<>();
    for (Held next : inOrder(resource)) {
      inside.removeIf(held -> held.span().until() <= next.span().from());
      inside.add(next);
      long taken = inside.stream().mapToLong(held -> held.stay().weight()).sum();
      if (taken > next.stay().capacity()) {
        found.add(overlap(resource, next, inside));
      }
    }
  }

  private List<Held> inOrder(String resource) {
    List<Held> all = new ArrayList<>();
    for (Stay stay : history.staysAt(resource)) {
      if (stay.isInside()) {
        Span whole = new Span(stay.entered(), stay.goodUntil());
        Span.without(whole, excused(stay)).forEach(span -> all.add(new Held(span, stay)));
      }
    }
    all.sort(Comparator.comparingLong(held -> held.span().from()));
    return all;
  }

  private List<Span> excused(Stay stay) {
    return history
        .faultsOf(stay)
        .filter(fault -> fault.sort().endsHolds())
        .flatMap(fault -> excused(stay, fault).stream())
        .toList();
  }

  private List<Span> excused(Stay stay, Fault fault) {
    long told = stay.startsOnGrant() ? Math.max(stay.lease(), Stay.WINDOW) : stay.lease();
    if (history.isPerhapsAcquiredBefore(stay, fault)) {
      return List.of(new Span(fault.begin(), fault.end() + told));
    }
    if (fault.sort() == Fault.Sort.CLOCK_FORWARD
        && stay.startsOnGrant()
        && stay.begin() <= fault.end() + SAMPLE) {
      return List.of(new Span(fault.begin(), fault.end() + SAMPLE + Stay.WINDOW));
    }
    return List.of();
  }

  private static Violation overlap(String resource, Held last, List<Held> inside) {
    String who =
        inside.stream()
            .map(held -> "%s inside %s".formatted(held.stay(), held.span()))
            .collect(Collectors.joining(", "));
    String text = "room for %d, but %s".formatted(last.stay().capacity(), who);
    return new Violation(Violation.Sort.OVERLAP, resource, last.span().from(), text);
  }
}
