package io.mortise.backend.inmemory;

/**
 * An error reply of a command. Its message is the text of a Redis server, with the error code
 * first.
 */
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

  /** The error of a command that checks the number of its arguments itself. */
  static CommandException wrongNumber(String command) {
    return new CommandException("ERR wrong number of arguments for '" + command + "' command");
  }

  /** The error reply as text; never null. */
  String reply() {
    return String.valueOf(getMessage());
  }
}
