package io.mortise.conformance.outside;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Finds moments at which more good holds existed than a lock allows.
 *
 * <p>A hold counts from the moment its worker knew of it. It ends at the last moment its worker saw
 * it good. So two holds that overlap here did overlap.
 *
 * <p>Excused are the cases that the lock contract lists under "What no lock of this kind can
 * promise". Lost data, a deleted key, a clock that steps forward and a forced unlock end all
 * earlier holds. L9 limits the excuse: within one lease the holder gets a report, and later holds
 * count again.
 */
final class OverlapCheck {
  private final History history;
  private final List<Violation> found = new ArrayList<>();

  /** A span of time in which a hold counts. */
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
      long taken = inside.stream().mapToLong(held -> held.stay().wants().weight()).sum();
      if (taken > next.stay().wants().capacity()) {
        found.add(overlap(resource, next, inside));
      }
    }
  }

  private List<Held> inOrder(String resource) {
    List<Held> all = new ArrayList<>();
    for (Stay stay : history.staysAt(resource)) {
      if (stay.isInside()) {
        Span whole = new Span(stay.entered(), stay.goodUntil());
        Span.without(whole, excused(stay, resource)).forEach(span -> all.add(new Held(span, stay)));
      }
    }
    all.sort(Comparator.comparingLong(held -> held.span().from()));
    return all;
  }

  private List<Span> excused(Stay stay, String resource) {
    return history
        .faultsOf(stay)
        .filter(fault -> fault.ends(stay) && fault.touches(resource))
        .flatMap(fault -> excused(stay, fault).stream())
        .toList();
  }

  private List<Span> excused(Stay stay, Fault fault) {
    if (history.isPerhapsAcquiredBefore(stay, fault)) {
      return List.of(new Span(fault.begin(), fault.end() + stay.wants().lease()));
    }
    return List.of();
  }

  private static Violation overlap(String resource, Held last, List<Held> inside) {
    String who =
        inside.stream()
            .map(held -> "%s holds %s".formatted(held.stay(), held.span()))
            .collect(Collectors.joining(", "));
    String text = "room for %d, but %s".formatted(last.stay().wants().capacity(), who);
    return new Violation(Violation.Sort.OVERLAP, resource, last.span().from(), text);
  }
}
