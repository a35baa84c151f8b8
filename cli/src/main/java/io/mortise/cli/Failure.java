package io.mortise.cli;

import io.mortise.ForeignKeyException;
import io.mortise.LeaseLostException;
import io.mortise.LockException;
import io.mortise.spi.BackendException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The reason why a command ends early: one line for the user, and the exit code. */
final class Failure extends RuntimeException {
  static final int UNEXPECTED = Exit.NO.code();
  static final int BAD_ARGUMENT = Exit.BAD_ARGUMENT.code();
  static final int NO_STORE = Exit.NO_STORE.code();

  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final boolean chosen;

  Failure(int exitCode, String message, @Nullable Throwable cause) {
    this(exitCode, message, cause, false);
  }

  private Failure(int exitCode, String message, @Nullable Throwable cause, boolean chosen) {
    super(oneLine(message), cause);
    this.exitCode = exitCode;
    this.chosen = chosen;
  }

  /** A failure whose code the user has chosen. It has none of the meanings in {@link Exit}. */
  static Failure chosen(int exitCode, String message) {
    return new Failure(exitCode, message, null, true);
  }

  static Failure badArgument(String message) {
    return new Failure(BAD_ARGUMENT, message, null);
  }

  /** The failure that a thrown exception means to the user. */
  static Failure of(Throwable thrown) {
    Throwable cause = thrown.getCause();
    boolean wrapper = thrown instanceof CompletionException || thrown instanceof ExecutionException;
    if (wrapper && cause != null) {
      return of(cause);
    }
    if (thrown instanceof Failure failure) {
      return failure;
    }
    if (thrown instanceof ForeignKeyException) {
      return new Failure(Exit.FOREIGN_KEY.code(), String.valueOf(thrown.getMessage()), thrown);
    }
    boolean known =
        thrown instanceof LockException
            || thrown instanceof LeaseLostException
            || thrown instanceof BackendException;
    return known
        ? new Failure(NO_STORE, String.valueOf(thrown.getMessage()), thrown)
        : new Failure(UNEXPECTED, "unexpected " + thrown, thrown);
  }

  int exitCode() {
    return exitCode;
  }

  boolean is(Exit exit) {
    return !chosen && exitCode == exit.code();
  }

  /** The code of {@code run}, which keeps the small ones for its command. */
  int exitCodeOfRun() {
    return Stream.of(Exit.values())
        .filter(each -> is(each) && !each.isOfRun())
        .mapToInt(each -> each.ofRun().code())
        .findFirst()
        .orElse(exitCode);
  }

  private static String oneLine(String message) {
    return message.lines().map(String::strip).collect(Collectors.joining(" "));
  }
}
