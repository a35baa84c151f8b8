package io.mortise.model;

/**
 * One message in flight.
 *
 * @param kind what it says
 * @param id the acquisition id that it is about
 * @param due how much longer it may take to arrive
 * @param value a number whose meaning the kind explains
 * @param ticket the ticket that it carries, or 0
 * @param age how long ago the command was sent that this is, or answers. Only kept of a release
 * @param unheard whether the caller has given this command up, so that nobody hears the reply
 */
record Message(Kind kind, int id, int due, int value, int ticket, int age, boolean unheard)
    implements Comparable<Message> {
  static final Message BLANK = new Message(Kind.ACQUIRE, 0, 0, 0, 0, 0, false);

  /** The values of HELD: nobody held the lock or waited for it, and the others. */
  static final int ALONE = 1;

  static final int ORDINARY = 2;

  enum Kind {
    // Commands
    /** acquire.lua: acquire, or join the queue; with the ticket of an earlier check. */
    ACQUIRE("acquire %s"),
    /** acquire.lua with the word try: acquire, or be told that it is busy. */
    TRY("try %s"),
    /** leave.lua of a hold that was released: the reply may grant. Value: as for LEAVE. */
    RELEASE("leave %s, the release of a hold"),
    /** leave.lua of what was given up or lost. Value: how long the tombstone lasts, or 0. */
    LEAVE("leave %s"),
    /** linger.lua of a hold that was left with a rest of time. Value: as for LEAVE. */
    LINGER("linger %s"),
    /** renew.lua. Value: the lease. */
    RENEW("renew %s"),
    // Replies
    /** acquire.lua: it holds. Value: ALONE or ORDINARY where waiters ask, else 0. */
    HELD("the reply HELD to %s"),
    /** acquire.lua: wait. Value: how long the lock is not free, or -2 if that is not known. */
    WAIT("the reply WAIT to %s"),
    /** acquire.lua: this id was withdrawn or revoked. */
    TOO_LATE("the reply TOO_LATE to %s"),
    /** acquire.lua: another id holds. Value: 1 if perhaps no thread uses that hold, else 0. */
    BUSY("the reply BUSY to %s"),
    /** leave.lua: the release granted the lock to this id. */
    GRANTED("the reply to a release, which grants to %s,"),
    /** renew.lua. Value: the lease, or 0 if the id does not hold. */
    RENEWED("the reply to the renewal of %s"),
    // What scripts publish to the mailbox of the id's service. Value: the process that still has to
    // send it, counted from 1, or 0
    /** The lock is granted to the id. */
    GRANT("the message that grants to %s"),
    /** The hold of the id was revoked. */
    LOST("the message that %s has lost"),
    /** Another wants the lock. The id is that of the holder. */
    WANTED("the message that the lock of %s is wanted");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    boolean isCommand() {
      return compareTo(RENEW) <= 0;
    }

    boolean isLeave() {
      return this == RELEASE || this == LEAVE || this == LINGER;
    }

    boolean isMail() {
      return compareTo(GRANT) >= 0;
    }

    boolean answers(Kind command) {
      return switch (this) {
        case HELD, WAIT, TOO_LATE -> command == ACQUIRE || command == TRY;
        case BUSY -> command == TRY;
        case RENEWED -> command == RENEW;
        default -> false;
      };
    }

    private static final Kind[] ALL = values();
  }

  /** It is in the reply to the process that ran the script, which has yet to send it. */
  boolean isPost() {
    return kind.isMail() && value > 0;
  }

  /** The process that has to send it. The number after that of all processes is the operator's. */
  int sender() {
    return value - 1;
  }

  /** Its process has sent it. */
  Message sent(int time) {
    return new Message(kind, id, time, 0, 0, 0, false);
  }

  Message within(int time) {
    return new Message(kind, id, time, value, ticket, age, unheard);
  }

  Message withTicket(int other) {
    return other == ticket ? this : new Message(kind, id, due, value, other, age, unheard);
  }

  /** Its caller has given it up. */
  Message abandoned() {
    return new Message(kind, id, due, value, ticket, 0, true);
  }

  /** One unit of time later. A release without an answer is given up after the timeout. */
  Message older(int timeout) {
    int left = Math.max(0, due - 1);
    boolean counts = (kind == Kind.RELEASE || kind == Kind.GRANTED) && !unheard;
    boolean over = counts && age + 1 >= timeout;
    int next = counts && !over ? age + 1 : 0;
    return new Message(kind, id, left, value, ticket, next, unheard || over);
  }

  Message code(Coder c) {
    return new Message(
        c.of(kind, Kind.ALL),
        c.of(id),
        c.of(due),
        c.of(value),
        c.of(ticket),
        c.of(age),
        c.of(unheard));
  }

  @SuppressWarnings("EnumOrdinal") // any order will do
  private long number() {
    long number = ((long) kind.ordinal() << 8) | id;
    number = (number << 8) | due;
    number = (number << 8) | (value + 2);
    number = (number << 8) | ticket;
    number = (number << 8) | age;
    return (number << 1) | (unheard ? 1 : 0);
  }

  @Override
  public int compareTo(Message other) {
    return Long.compare(number(), other.number());
  }

  @Override
  public String toString() {
    String line = kind.text.formatted(State.name(id));
    if (kind == Kind.ACQUIRE && ticket > 0) {
      return line + " with its ticket";
    }
    if (isPost()) {
      return line + ", not yet sent,";
    }
    return kind.isLeave() && value > 0 ? line + " with a tombstone" : line;
  }
}
