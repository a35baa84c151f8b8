package io.mortise.backend.inmemory;

/** An error reply of a command: its message is the text a Redis server would send, code first. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CommandException(String reply) {
    super(reply, null, false, false);
  }

  static CommandException wrongType() {
    return new CommandException(
        "WRONGTYPE Operation against a key holding the wrong kind of value");
  }

  static CommandException syntax() {
    return new CommandException("ERR syntax error");
  }

  /** The command's own check of the number of its arguments. */
  static CommandException wrongNumber(String command) {
    return new CommandException("ERR wrong number of arguments for '" + command + "' command");
  }

  /** The error reply as text; never null. */
  String reply() {
    return String.valueOf(getMessage());
  }
}
