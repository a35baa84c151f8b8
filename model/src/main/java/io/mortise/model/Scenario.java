package io.mortise.model;

import java.util.EnumSet;

/** The setups that are explored whole. The protocol must break no rule in any of them. */
@SuppressWarnings("ImmutableEnumChecker") // nobody changes the sets of a setup
enum Scenario {
  PROCESSES("three processes, one waiter each, any fault", quick("ABC").withFaults(1, any())),

  SHARING(
      "two waiters of one process, one of another, any fault", quick("AAB").withFaults(1, any())),

  TWO_FAULTS(
      "two processes, two faults out of a crash, a freeze, a mailbox that is cut off and a lost message",
      quick("AB").withFaults(2, Fault.CRASH, Fault.FREEZE, Fault.DISCONNECT, Fault.LOSE_MAIL)),

  SLOW("two processes, messages that take time, any fault", slow("AB").withFaults(1, any())),

  ORDER(
      "three processes, messages that take time, no fault: nobody is overtaken",
      slow("ABC").alsoChecking(Rule.PLACE)),

  PLACES(
      "three processes, a message to a waiter is lost or late: nobody is overtaken",
      quick("ABC").withFaults(1, Fault.LOSE_MAIL, Fault.DELAY_MAIL).alsoChecking(Rule.PLACE)),

  EXTENSIONS(
      "two processes that make leases longer, any fault",
      quick("AB").withFaults(1, any()).with(Choice.EXTEND)),

  RESTS(
      "two processes that leave the lock with a rest of time, any fault",
      quick("AB").withFaults(1, any()).with(Choice.REST)),

  HAND_OFFS(
      "two processes whose threads hand the lock off, any fault",
      quick("AB").withFaults(1, any()).with(Choice.HAND_OFF)),

  HAND_OFFS_OF_THREE(
      "three processes whose threads hand the lock off", quick("ABC").with(Choice.HAND_OFF)),

  RETAINED(
      "two processes that keep holds unused, any fault",
      quick("AB").withFaults(1, any()).with(Choice.HAND_OFF, Choice.RETAIN)),

  RETAINED_SLOW(
      "two processes that keep holds unused, messages that take time",
      slow("AB").with(Choice.HAND_OFF, Choice.RETAIN)),

  RETAINED_OF_THREE(
      "three processes that keep holds unused: none that somebody waited for",
      quick("ABC").with(Choice.HAND_OFF, Choice.RETAIN).alsoChecking(Rule.ALONE)),

  RETAINED_AND_FORCED(
      "two processes that keep holds unused, a forced unlock: each holder is told",
      quick("AB")
          .withFaults(1, Fault.FORCE)
          .with(Choice.HAND_OFF, Choice.RETAIN)
          .alsoChecking(Rule.TOLD)),

  FORCED(
      "two processes, two faults out of a forced unlock and a freeze: each holder is told",
      quick("AB").withFaults(2, Fault.FORCE, Fault.FREEZE).alsoChecking(Rule.TOLD)),

  CLUSTER(
      "two processes, PUBLISH that counts no subscribers, any fault",
      quick("AB").withFaults(1, any()).inCluster()),

  KEYS(
      "three processes, a companion key is deleted",
      quick("ABC").withFaults(1, Fault.DELETE_QUEUE, Fault.DELETE_ALIVE)),

  FAILOVER(
      "two processes, a failover to a replica that lacks the last script",
      quick("AB").withFaults(1, Fault.FAILOVER)),

  LARGE_TWO_FAULTS("two processes, any two faults", quick("AB").withFaults(2, any())),

  LARGE_SLOW(
      "three processes, messages that take time, any fault", slow("ABC").withFaults(1, any()));

  private final String text;
  private final Setup setup;

  Scenario(String text, Setup setup) {
    this.text = text;
    this.setup = setup;
  }

  private static Setup quick(String placement) {
    return Setup.of(placement, Times.QUICK);
  }

  private static Setup slow(String placement) {
    return Setup.of(placement, Times.SLOW);
  }

  /** What may happen to processes, mailboxes and messages, and a forced unlock. */
  private static Fault[] any() {
    return EnumSet.range(Fault.CRASH, Fault.FORCE).toArray(Fault[]::new);
  }

  String text() {
    return text;
  }

  Setup setup() {
    return setup;
  }

  /** Whether it takes minutes. Then it is explored on demand only. */
  boolean isLarge() {
    return name().startsWith("LARGE_");
  }
}
