package io.mortise.model;

import io.mortise.model.Setup.Publishing;
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
      slow("ABC").alsoChecking(Rule.PLACE, Rule.WOKEN)),

  PLACES(
      "three processes, a message to a waiter is lost or late: nobody is overtaken",
      quick("ABC").withFaults(1, Fault.LOSE_MAIL, Fault.DELAY_MAIL).alsoChecking(Rule.PLACE)),

  PLACES_SHARED(
      "two waiters of one process, one of another, a command is lost or late: nobody is overtaken",
      quick("AAB").withFaults(1, Fault.LOSE_COMMAND, Fault.DELAY_COMMAND).alsoChecking(Rule.PLACE)),

  EXTENSIONS(
      "two processes that make leases longer, any fault",
      quick("AB").withFaults(1, any()).with(Choice.EXTEND)),

  SHORT_LEASES(
      "two processes that make leases longer which are shorter than the window, any fault",
      Setup.of("AB", Times.SHORT).withFaults(1, any()).with(Choice.EXTEND)),

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

  UNTIL_ASKED(
      "two processes that hand an alone hold off until they are asked, any fault or late mailbox",
      asking("AB").with(Choice.HAND_OFF, Choice.ASK).withFaults(1, anyMail())),

  ASKED(
      "two processes that also keep an alone hold unused, any fault or late mailbox",
      asking("AB").withFaults(1, anyMail())),

  ASKED_IN_TIME(
      "two processes that keep an alone hold unused, faults that stop no message: it ends at once",
      asking("AB").withFaults(1, withoutMail())),

  ASKED_IN_A_GAP(
      "three processes that keep an alone hold unused, and a mailbox that is cut off",
      asking("ABC").withFaults(1, Fault.DISCONNECT)),

  ASKED_OF_THREE(
      "three processes that keep an alone hold unused: none that somebody waited for",
      asking("ABC").alsoChecking(Rule.ALONE)),

  ASKED_SLOWLY(
      "two processes that keep an alone hold unused, messages that take time",
      Setup.asking("AB", Times.SLOW_ASKED)),

  ASKS_LOST(
      "three processes that keep an alone hold unused, two faults out of a crash and a lost message",
      asking("ABC").withFaults(2, Fault.CRASH, Fault.LOSE_MAIL)),

  ASKED_AND_FORCED(
      "two processes that keep an alone hold unused, a forced unlock and a late reply",
      asking("AB")
          .withFaults(2, Fault.FORCE, Fault.DELAY_REPLY)
          .alsoChecking(Rule.TOLD, Rule.ENTRY)),

  ASKED_AND_RESTARTED(
      "two processes that keep an alone hold unused, a restart of the store without data",
      asking("AB").withFaults(1, Fault.RESTART).alsoChecking(Rule.ENTRY)),

  ASKED_BY_ONE(
      "two processes that keep an alone hold unused, of which one is older and does not ask",
      asking("AB").alsoWith(Choice.OLDER_VERSION)),

  ASKED_AT_HOME(
      "two processes that keep an alone hold unused, and threads of theirs with another lease",
      asking("AB").alsoWith(Choice.OTHER_LEASES)),

  TRIED(
      "two processes that keep an alone hold unused and also try to lock, any fault",
      asking("AB").alsoWith(Choice.TRY).withFaults(1, any()).alsoChecking(Rule.TRY)),

  TRIED_SLOWLY(
      "two processes that keep an alone hold unused and also try to lock, messages that take time",
      Setup.asking("AB", Times.SLOW_ASKED).alsoWith(Choice.TRY).alsoChecking(Rule.TRY)),

  TRIED_OF_THREE(
      "three processes that keep an alone hold unused and also try to lock, a crash",
      asking("ABC")
          .alsoWith(Choice.TRY)
          .withFaults(1, Fault.CRASH)
          .alsoChecking(Rule.TRY, Rule.ALONE)),

  FORCED(
      "two processes, two faults out of a forced unlock and a freeze: each holder is told",
      quick("AB").withFaults(2, Fault.FORCE, Fault.FREEZE).alsoChecking(Rule.TOLD)),

  CLUSTER(
      "two processes, PUBLISH that counts no subscribers, any fault",
      quick("AB").withFaults(1, any()).publishing(Publishing.UNCOUNTED)),

  POSTED(
      "two processes that send the messages of their scripts, any fault",
      posted(quick("AB")).withFaults(1, anyPost())),

  POSTED_SHARING(
      "two waiters of one process, one of another, that send messages: a crash",
      posted(quick("AAB")).withFaults(1, Fault.CRASH)),

  POSTED_BY_THREE(
      "three processes that send messages: a crash or a broken link, and nobody is overtaken",
      posted(quick("ABC")).withFaults(1, Fault.CRASH, Fault.BREAK_LINK).alsoChecking(Rule.PLACE)),

  POSTED_SLOWLY(
      "three processes that send messages, which take time, no fault: nobody is overtaken",
      posted(slow("ABC")).alsoChecking(Rule.PLACE)),

  POSTED_AND_FORCED(
      "two processes that send messages, a forced unlock: each holder is told",
      posted(quick("AB")).withFaults(1, Fault.FORCE).alsoChecking(Rule.TOLD)),

  POSTED_ASKS(
      "two processes that send messages and keep an alone hold unused, any fault or late mailbox",
      posted(asking("AB")).withFaults(1, anyPost())),

  POSTED_ASKS_OF_THREE(
      "three processes that send messages and keep an alone hold unused, a crash",
      posted(asking("ABC")).withFaults(1, Fault.CRASH)),

  KEYS(
      "three processes, a companion key is deleted",
      quick("ABC").withFaults(1, Fault.DELETE_QUEUE, Fault.DELETE_ALIVE)),

  FAILOVER(
      "two processes, a failover to a replica that lacks the last script",
      quick("AB").withFaults(1, Fault.FAILOVER)),

  LARGE_POSTED(
      "three processes that send the messages of their scripts, any fault",
      posted(quick("ABC")).withFaults(1, anyPost())),

  LARGE_POSTED_TRIES(
      "two processes that send messages, which take time, keep an alone hold unused and try to lock",
      posted(Setup.asking("AB", Times.SLOW_POSTED)).alsoWith(Choice.TRY).alsoChecking(Rule.TRY)),

  LARGE_TWO_FAULTS("two processes, any two faults", quick("AB").withFaults(2, any())),

  LARGE_SLOW(
      "three processes, messages that take time, any fault", slow("ABC").withFaults(1, any())),

  LARGE_ASKED_PROCESSES(
      "three processes that keep an alone hold unused, any fault or late mailbox",
      asking("ABC").withFaults(1, anyMail())),

  LARGE_ASKED_TWO_FAULTS(
      "two processes that keep an alone hold unused, any two faults or late mailboxes",
      asking("AB").withFaults(2, anyMail())),

  LARGE_TRIED(
      "two processes that keep an alone hold unused and also try to lock, slow, any fault",
      Setup.asking("AB", Times.SLOW_ASKED)
          .alsoWith(Choice.TRY)
          .withFaults(1, anyMail())
          .alsoChecking(Rule.TRY));

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

  private static Setup asking(String placement) {
    return Setup.asking(placement, Times.QUICK_ASKED);
  }

  /** On a service where no script may publish. */
  private static Setup posted(Setup setup) {
    return setup.publishing(Publishing.POSTED).alsoChecking(Rule.WOKEN);
  }

  /** As anyMail, and a link that breaks with what it carries. */
  private static Fault[] anyPost() {
    EnumSet<Fault> all = EnumSet.of(Fault.BREAK_LINK, anyMail());
    return all.toArray(Fault[]::new);
  }

  /** As any, and what else may happen to mailboxes and messages to them. */
  private static Fault[] anyMail() {
    EnumSet<Fault> all = EnumSet.of(Fault.REPEAT_MAIL, Fault.HALF_OPEN);
    all.addAll(EnumSet.range(Fault.CRASH, Fault.FORCE));
    return all.toArray(Fault[]::new);
  }

  /** As any, but each message to a mailbox of a process that runs arrives in time. */
  private static Fault[] withoutMail() {
    EnumSet<Fault> all = EnumSet.range(Fault.CRASH, Fault.FORCE);
    all.removeAll(EnumSet.of(Fault.DISCONNECT, Fault.LOSE_MAIL, Fault.DELAY_MAIL));
    return all.toArray(Fault[]::new);
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
