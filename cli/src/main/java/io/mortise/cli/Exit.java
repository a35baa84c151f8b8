package io.mortise.cli;

import java.util.List;
import java.util.stream.Stream;

/**
 * The exit codes of the command. Those of {@code run} are far from the small numbers that the
 * command under the lock may use itself. {@code docs/command.md} has the same table.
 */
enum Exit {
  OK(0, "success"),
  NO(1, "no: not held, a problem found, or an unexpected error"),
  BAD_ARGUMENT(2, "a bad argument"),
  NO_STORE(3, "the store cannot be reached or refuses"),
  FOREIGN_KEY(4, "the name leads to a key of another program"),
  RUN_BAD_ARGUMENT(64, "a bad argument"),
  RUN_FOREIGN_KEY(65, "the name leads to a key of another program"),
  RUN_NO_STORE(69, "the store cannot be reached or refuses"),
  RUN_UNEXPECTED(70, "an unexpected error"),
  RUN_LOST(74, "the lock was lost while the command ran"),
  RUN_BUSY(75, "somebody else has the lock; -E chooses another code"),
  RUN_CANNOT_START(126, "the command cannot be started"),
  RUN_NOT_FOUND(127, "the command is not found"),
  CLOSED_PIPE(141, "the reader of the output has gone");

  /** A command that a signal ended has this code and the signal's number. */
  static final int SIGNAL = 128;

  private final int code;
  private final String meaning;

  Exit(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  int code() {
    return code;
  }

  String meaning() {
    return meaning;
  }

  /** Whether the code is one of {@code run} alone. */
  boolean isOfRun() {
    return name().startsWith("RUN_");
  }

  /** What {@code run} says where another command has this code. */
  Exit ofRun() {
    return switch (this) {
      case NO -> RUN_UNEXPECTED;
      case BAD_ARGUMENT -> RUN_BAD_ARGUMENT;
      case NO_STORE -> RUN_NO_STORE;
      case FOREIGN_KEY -> RUN_FOREIGN_KEY;
      default -> this;
    };
  }

  /** The lines of a help text. */
  static String[] lines(boolean ofRun) {
    List<String> lines =
        Stream.of(values())
            .filter(each -> each.isOfRun() == ofRun)
            .map(each -> "  %3d  %s".formatted(each.code, each.meaning))
            .toList();
    return lines.toArray(String[]::new);
  }
}
