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
 * @param publishing what PUBLISH does in a script
 * @param choices what holders may do
 * @param planted null for the protocol as it is
 */
record Setup(
    String placement,
    Times times,
    Set<Fault> faults,
    int mostFaults,
    Publishing publishing,
    Set<Choice> choices,
    Set<Rule> rules,
    Mistake planted) {
  /** Longer than any story. */
  private static final int NEVER = 99;

  /** What PUBLISH does in a script. */
  enum Publishing {
    /** It sends the message, and returns the number of all subscribers, as on a single server. */
    COUNTED,
    /** It sends the message, and its number is not to be believed, as in a cluster. */
    UNCOUNTED,
    /**
     * It sends nothing. The process that ran the script finds the message in the reply and sends
     * it, or never.
     */
    POSTED
  }

  /** Waiters without faults, on a single server. */
  static Setup of(String placement, Times times) {
    Set<Rule> rules = EnumSet.range(Rule.Q1, Rule.L12);
    Set<Choice> choices = EnumSet.noneOf(Choice.class);
    return new Setup(
        placement, times, EnumSet.noneOf(Fault.class), 0, Publishing.COUNTED, choices, rules, null);
  }

  /** Waiters that ask for alone holds, and processes that keep these until they are asked. */
  static Setup asking(String placement, Times times) {
    return of(placement, times)
        .with(Choice.HAND_OFF, Choice.RETAIN, Choice.ASK)
        .alsoChecking(Rule.UNUSED, Rule.LOSS);
  }

  Setup withFaults(int most, Fault... allowed) {
    EnumSet<Fault> set = EnumSet.noneOf(Fault.class);
    set.addAll(Arrays.asList(allowed));
    return new Setup(placement, times, set, most, publishing, choices, rules, planted);
  }

  Setup publishing(Publishing other) {
    return new Setup(placement, times, faults, mostFaults, other, choices, rules, planted);
  }

  Setup with(Choice first, Choice... more) {
    Set<Choice> set = EnumSet.of(first, more);
    return new Setup(placement, times, faults, mostFaults, publishing, set, rules, planted);
  }

  Setup alsoWith(Choice choice) {
    Set<Choice> set = EnumSet.copyOf(choices);
    set.add(choice);
    return new Setup(placement, times, faults, mostFaults, publishing, set, rules, planted);
  }

  /** Checks only these rules. */
  Setup checking(Rule first, Rule... more) {
    Set<Rule> only = EnumSet.of(first, more);
    return new Setup(placement, times, faults, mostFaults, publishing, choices, only, planted);
  }

  /** Checks these rules too. */
  Setup alsoChecking(Rule... more) {
    Set<Rule> all = EnumSet.copyOf(rules);
    all.addAll(Arrays.asList(more));
    return new Setup(placement, times, faults, mostFaults, publishing, choices, all, planted);
  }

  Setup planting(Mistake mistake) {
    return new Setup(
        placement, mistake.times(times), faults, mostFaults, publishing, choices, rules, mistake);
  }

  boolean counts() {
    return publishing == Publishing.COUNTED;
  }

  boolean posts() {
    return publishing == Publishing.POSTED;
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

  /** Whether the store may lose one of the two keys of its queue. */
  boolean losesKeys() {
    return allows(Fault.DELETE_QUEUE) || allows(Fault.DELETE_ALIVE);
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

  /** Whether that service has a version that neither asks nor is asked. */
  boolean isOlder(int service) {
    return allows(Choice.OLDER_VERSION) && service == services() - 1;
  }

  /** For how long one process may keep a live waiter of another waiting by one hold. */
  int longestHold() {
    int stay = Math.max(times.handOff(), times.retain());
    if (allows(Choice.ASK)) {
      int longest = allows(Choice.RETAIN) ? Math.max(times.cap(), times.retain()) : times.cap();
      stay = Math.min(times.handOff() + latestAsk(longest), longest);
    }
    return stay - 1 + times.section();
  }

  /** For how long one process may keep a hold unused while a live waiter waits. */
  int longestUnused() {
    return latestAsk(times.retain());
  }

  /**
   * How late a process learns that its lock is wanted. A lost message costs a re-check. So does a
   * waiter whose mailbox was cut off: it is passed over, so it waits for a hold that is alone, and
   * has not asked for it. Where a process may never learn it, the time counts for which it may stay
   * anyway.
   */
  private int latestAsk(int longest) {
    boolean maybeNever =
        allows(Choice.OLDER_VERSION) || allows(Fault.DELAY_MAIL) || allows(Fault.HALF_OPEN);
    boolean later = allows(Fault.LOSE_MAIL) || allows(Fault.DISCONNECT) || posts();
    int repeats = later ? mostFaults * times.recheck() : 0;
    return maybeNever ? longest : Math.min(longest, mailTime() + repeats);
  }

  /** How long a message takes from its script to a mailbox. To send it is a command of its own. */
  private int mailTime() {
    return posts() ? 2 * times.delay() : times.delay();
  }

  /** When a waiter asks again that was told how long the lock is not free, or -2. */
  int nextCheck(int left) {
    if (has(Mistake.NEVER_LOOKS_AGAIN)) {
      return NEVER;
    }
    return left < 0 ? times.recheck() : Math.min(times.recheck(), left);
  }

  /** How long a lock may be of no use to a live waiter: a lost message, and a window per fault. */
  int longestIdle() {
    int perFault = Math.max(times.window(), times.recheck());
    return times.recheck() + 2 * times.delay() + mostFaults * perFault;
  }
}
