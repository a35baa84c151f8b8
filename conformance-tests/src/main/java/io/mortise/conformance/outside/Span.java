package io.mortise.conformance.outside;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A time between two moments (ns). */
record Span(long from, long until) {
  long length() {
    return until - from;
  }

  /** The parts of a time outside of the others, in order. */
  static List<Span> without(Span whole, List<Span> others) {
    List<Span> left = new ArrayList<>();
    long from = whole.from;
    for (Span each : others.stream().sorted(Comparator.comparingLong(Span::from)).toList()) {
      if (each.from > from) {
        left.add(new Span(from, Math.min(each.from, whole.until)));
      }
      from = Math.max(from, each.until);
      if (from >= whole.until) {
        break;
      }
    }
    if (from < whole.until) {
      left.add(new Span(from, whole.until));
    }
    return left;
  }

  @Override
  public String toString() {
    return "%.3f to %.3f s".formatted(from / 1e9, until / 1e9);
  }
}
