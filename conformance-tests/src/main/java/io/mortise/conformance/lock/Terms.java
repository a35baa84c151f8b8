package io.mortise.conformance.lock;

import java.util.List;

/** What the engine tells every script of a queue in one argument, to be sent with changes. */
record Terms(String word, String alive, String window, String counts, String mail) {
  /** As the engine sent them: the second of a script's arguments. */
  static Terms of(List<String> args) {
    String[] parts = args.get(1).split(" ", 5);
    return new Terms(parts[0], parts[1], parts[2], parts[3], parts[4]);
  }

  Terms word(String other) {
    return new Terms(other, alive, window, counts, mail);
  }

  /** How long (ms) a waiter counts as alive, and a grant may be unanswered. */
  Terms times(String aliveFor, String grantWindow) {
    return new Terms(word, aliveFor, grantWindow, counts, mail);
  }

  /** Nobody listens, and nobody is dropped for it. */
  Terms notCounting() {
    return new Terms(word, alive, window, "0", mail);
  }

  String text() {
    return String.join(" ", word, alive, window, counts, mail);
  }
}
