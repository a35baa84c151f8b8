package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The meaning of an error reply: what it says about the script that was to run. */
public enum ServerError {
  /** The server does not have the script by this digest. Nothing ran. */
  UNKNOWN_SCRIPT(Outcome.NOT_EXECUTED),
  /** Another node of the cluster has the slot. Nothing ran. */
  MOVED(Outcome.NOT_EXECUTED),
  /** Another node has the keys, because their slot is on its way there. Nothing ran. */
  ASK(Outcome.NOT_EXECUTED),
  /** The slot is on its way, and each of two nodes has some of the keys. Nothing ran. */
  TRY_AGAIN(Outcome.NOT_EXECUTED),
  /** The server runs no scripts now, or none that write. Nothing was written. */
  UNFIT(Outcome.NOT_EXECUTED),
  /** The script stopped half-way, because a key that it had deleted is now another node's. */
  CUT_SHORT(Outcome.UNKNOWN),
  /** Any other error: it is the script's, or one that the caller must see. */
  OTHER(Outcome.REPLIED);

  /*
   * Why READONLY and NOREPLICAS are UNFIT although a script may raise them: the server's role and
   * the number of its replicas do not change while a script runs. So the script's first write
   * raised the error, and nothing was written.
   *
   * Redis 6.2 puts its own words in front of an error that a command of a script raises. Redis 7
   * has the code first.
   */
  private static final Pattern FORM =
      Pattern.compile(
          "(?s)(?:ERR Error running script \\([^)]*\\): (?:@user_script: ?\\d+: )*-)?"
              + "(?<code>[A-Z]+)\\b.*");

  private static final String NOT_LOCAL = "Script attempted to access a non local key";

  private final Outcome outcome;

  ServerError(Outcome outcome) {
    this.outcome = outcome;
  }

  /**
   * Reads an error reply.
   *
   * @param text the server's error, its code first
   * @return its meaning
   */
  public static ServerError of(String text) {
    if (text.contains(NOT_LOCAL)) {
      return CUT_SHORT;
    }
    return switch (code(text)) {
      case "NOSCRIPT" -> UNKNOWN_SCRIPT;
      case "MOVED" -> MOVED;
      case "ASK" -> ASK;
      case "TRYAGAIN" -> TRY_AGAIN;
      case "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "NOREPLICAS", "READONLY" -> UNFIT;
      default -> OTHER;
    };
  }

  private static String code(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches() ? form.group("code") : "";
  }

  /**
   * Whether the server has become a replica. Its name may have the address of the next master now,
   * so its connections must be made anew.
   *
   * @param text the server's error, its code first
   * @return true for READONLY, and for MASTERDOWN, which a replica says whose own master is away
   */
  public static boolean isOfReplica(String text) {
    return code(text).equals("READONLY") || code(text).equals("MASTERDOWN");
  }

  /**
   * The exception of a call that got an error reply.
   *
   * @param text the server's error, which becomes the message
   * @param cause the client's exception, if there is one
   * @return an exception with the outcome that the error means
   */
  public static BackendException failure(String text, @Nullable Throwable cause) {
    return new BackendException(of(text).outcome, text, cause);
  }
}
