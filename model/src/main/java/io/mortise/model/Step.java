package io.mortise.model;

/**
 * One step of a story.
 *
 * @param type what kind of step it is
 * @param text a line of the story, with a place for the subject
 * @param subject the name of the waiter or service that it is about; empty if there is none
 * @param message the message that it is about; null if there is none
 */
record Step(Type type, String text, String subject, Message message) {
  enum Type {
    /** The store runs the script of a command. */
    SCRIPT,
    /** A reply or a message reaches a service. */
    HEAR,
    /** A waiter or a service does something by itself. */
    CLIENT,
    /** One unit of time passes. */
    TIME,
    /** Something goes wrong. */
    FAULT
  }

  static final Step TIME = new Step(Type.TIME, "time passes", "", null);

  static Step script(Message command) {
    return new Step(Type.SCRIPT, "the store runs %s", "", command);
  }

  /** The process that ran the script of a message sends it. */
  static Step post(Message message) {
    return new Step(Type.CLIENT, "%s is sent by the process that ran its script", "", message);
  }

  static Step hear(Message message) {
    return new Step(Type.HEAR, "%s arrives", "", message);
  }

  static Step client(String text, String subject) {
    return new Step(Type.CLIENT, text, subject, null);
  }

  static Step fault(Fault fault, String subject) {
    return new Step(Type.FAULT, fault.text(), subject, null);
  }

  static Step fault(Fault fault, Message message) {
    return new Step(Type.FAULT, fault.text(), "", message);
  }

  /** Whether the store ran this script. */
  boolean ran(Message.Kind kind) {
    return type == Type.SCRIPT && message.kind() == kind;
  }

  /** Whether the store ran any script. An operator's forced unlock is one. */
  boolean ranScript() {
    return type == Type.SCRIPT || (type == Type.FAULT && text.equals(Fault.FORCE.text()));
  }

  /** Whether a message of this kind reached its service. */
  boolean heard(Message.Kind kind) {
    return type == Type.HEAR && message.kind() == kind;
  }

  @Override
  public String toString() {
    String line = text.formatted(message == null ? subject : message);
    return type == Type.FAULT ? "FAULT: " + line : line;
  }
}
