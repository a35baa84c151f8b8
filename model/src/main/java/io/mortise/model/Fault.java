package io.mortise.model;

/** What may go wrong. Each is one step of a story, and uses up one of the faults allowed. */
enum Fault {
  /** Its mailbox has no subscriber any more. */
  CRASH("process %s crashes"),
  /** It may go on at any time. Its mailbox stays subscribed. */
  FREEZE("process %s freezes"),
  /** It may be subscribed again at any time. */
  DISCONNECT("the mailbox of process %s is cut off"),
  LOSE_COMMAND("%s is lost"),
  LOSE_REPLY("%s is lost"),
  LOSE_MAIL("%s is lost"),
  DELAY_COMMAND("%s is delayed"),
  DELAY_REPLY("%s is delayed"),
  DELAY_MAIL("%s is delayed"),
  FORCE("an operator forces the lock open"),
  DELETE_QUEUE("the key queue is deleted"),
  DELETE_ALIVE("the key alive is deleted"),
  FAILOVER("a replica takes over that has not seen the last script"),
  /** It comes once in time and once late. */
  REPEAT_MAIL("%s is delivered twice"),
  /** PUBLISH counts it as a subscriber, and it gets nothing. It may notice that at any time. */
  HALF_OPEN("the mailbox of process %s gets no messages any more, and nobody knows"),
  RESTART("the store restarts without its data"),
  /** Replies on their way to it are lost, with the messages that it would have sent. */
  BREAK_LINK("the link of process %s breaks");

  private final String text;

  Fault(String text) {
    this.text = text;
  }

  /** A line of a story, with a place for the subject. */
  String text() {
    return text;
  }

  static Fault losing(Message message) {
    if (message.kind().isCommand()) {
      return LOSE_COMMAND;
    }
    return message.kind().isMail() ? LOSE_MAIL : LOSE_REPLY;
  }

  static Fault delaying(Message message) {
    if (message.kind().isCommand()) {
      return DELAY_COMMAND;
    }
    return message.kind().isMail() ? DELAY_MAIL : DELAY_REPLY;
  }
}
