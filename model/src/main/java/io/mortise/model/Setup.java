package io.mortise.model;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * What one exploration has: waiters in their services, times, the faults that may happen, the rules
 * that are checked, and the planted mistake, if any.
 *
 * @param placement a letter for each waiter: its service. AAB has two waiters in one service and
 *     one in another
 * @param mostFaults how many faults one story may have
 * @param counts whether PUBLISH returns the number of all subscribers, as on a single server. In a
 *     cluster it does not, and returns 0
 * @param choices what holders may do
 * @param planted null for the protocol as it is
 */
record Setup(
    String placement,
    Times times,
    Set<Fault> faults,
    int mostFaults,
    boolean counts,
    Set<Choice> choices,
    Set<Rule> rules,
    Mistake planted) {

  /** Waiters without faults, on a single server. */
  static Setup of(String placement, Times times) {
    Set<Rule> rules = EnumSet.complementOf(EnumSet.of(Rule.PLACE, Rule.TOLD, Rule.ALONE));
    Set<Choice> choices = EnumSet.noneOf(Choice.class);
    return new Setup(placement, times, EnumSet.noneOf(Fault.class), 0, true, choices, rules, null);
  }

  Setup withFaults(int most, Fault... allowed) {
    EnumSet<Fault> set = EnumSet.noneOf(Fault.class);
    set.addAll(Arrays.asList(allowed));
    return new Setup(placement, times, set, most, counts, choices, rules, planted);
  }

  Setup inCluster() {
    return new Setup(placement, times, faults, mostFaults, false, choices, rules, planted);
  }

  Setup with(Choice first, Choice... more) {
    Set<Choice> set = EnumSet.of(first, more);
    return new Setup(placement, times, faults, mostFaults, counts, set, rules, planted);
  }

  /** Checks only these rules. */
  Setup checking(Rule first, Rule... more) {
    Set<Rule> only = EnumSet.of(first, more);
    return new Setup(placement, times, faults, mostFaults, counts, choices, only, planted);
  }

  /** Checks this rule too. */
  Setup alsoChecking(Rule rule) {
    Set<Rule> all = EnumSet.copyOf(rules);
    all.add(rule);
    return new Setup(placement, times, faults, mostFaults, counts, choices, all, planted);
  }

  Setup planting(Mistake mistake) {
    return new Setup(
        placement, mistake.times(times), faults, mostFaults, counts, choices, rules, mistake);
  }

  boolean has(Mistake mistake) {
    return planted == mistake;
  }

  boolean allows(Fault fault) {
    return faults.contains(fault);
  }

  boolean allows(Choice choice) {
    return choices.contains(choice);
  }

  int waiters() {
    return placement.length();
  }

  int services() {
    return serviceOf(waiters() - 1) + 1;
  }

  int serviceOf(int waiter) {
    return placement.charAt(waiter) - 'A';
  }

  /** For how long one process may keep a live waiter of another waiting by one hold. */
  int longestHold() {
    return Math.max(times.handOff(), times.retain()) - 1 + times.section();
  }

  /** How long a lock may be of no use to a live waiter: a lost message, and a window per fault. */
  int longestIdle() {
    int perFault = Math.max(times.window(), times.recheck());
    return times.recheck() + 2 * times.delay() + mostFaults * perFault;
  }
}
