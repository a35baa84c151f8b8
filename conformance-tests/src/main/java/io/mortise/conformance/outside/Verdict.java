package io.mortise.conformance.outside;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The violations that the logs of a run prove.
 *
 * @param history the logs
 * @param violations by their time
 */
record Verdict(History history, List<Violation> violations) {
  /** Violations at one of the resources. */
  List<Violation> at(List<String> resources) {
    return violations.stream().filter(each -> resources.contains(each.resource())).toList();
  }

  /** Violations at none of the resources. */
  List<Violation> notAt(List<String> resources) {
    return violations.stream().filter(each -> !resources.contains(each.resource())).toList();
  }

  /** Attempts by lock, faults by sort, the longest gap, and the violations. */
  List<String> report() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%-12s %9s %9s %9s %9s %9s %6s"
            .formatted("lock", "attempts", "entered", "refused", "failed", "no end", "lost"));
    history.resources().forEach(resource -> lines.add(row(resource)));
    lines.add("longest gap: " + longestGap());
    lines.add("faults: " + faults());
    lines.add("counted calls: " + calls());
    violations.forEach(each -> lines.add(each.toString()));
    return lines;
  }

  String longestGap() {
    return GapCheck.longest(history)
        .map(gap ->
            "%.3f s at %s, waiter %s, %s"
                .formatted(gap.span().length() / 1e9, gap.resource(), gap.waiter(), gap.span()))
        .orElse("none");
  }

  /** Overlaps at none of the controls. */
  long overlaps(List<String> controls) {
    return notAt(controls).stream().filter(e -> e.sort() == Violation.Sort.OVERLAP).count();
  }

  /** How many counted calls ran, and how many of them more than once. */
  String calls() {
    List<LogLine> lines =
        history.others().stream().filter(line -> line.verb().equals(History.CALLS)).toList();
    long ran = lines.stream().mapToLong(line -> line.number("ran")).sum();
    long again = lines.stream().mapToLong(line -> line.number("again")).sum();
    return "%d ran, %d of them twice".formatted(ran, again);
  }

  String faults() {
    Map<Fault.Sort, Long> counts =
        history.faults().stream()
            .collect(Collectors.groupingBy(Fault::sort, TreeMap::new, Collectors.counting()));
    return counts.entrySet().stream()
        .map(each -> each.getKey() + " " + each.getValue())
        .collect(Collectors.joining(", "));
  }

  private String row(String resource) {
    List<Stay> stays = history.staysAt(resource);
    return "%-12s %9d %9d %9d %9d %9d %6d"
        .formatted(
            resource,
            stays.size(),
            count(stays, Stay::isInside),
            count(stays, stay -> stay.refused() != Stay.NEVER && !stay.isFailed()),
            count(stays, stay -> stay.refused() != Stay.NEVER && stay.isFailed()),
            count(stays, stay -> stay.decided() == Stay.NEVER),
            count(stays, stay -> stay.lost() != Stay.NEVER));
  }

  private static long count(List<Stay> stays, Predicate<Stay> which) {
    return stays.stream().filter(which).count();
  }
}
