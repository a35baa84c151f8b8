package io.mortise.internal.engine;

import io.mortise.BackendUnavailableException;
import io.mortise.ForeignKeyException;
import io.mortise.LockException;
import io.mortise.NotReplicatedException;
import io.mortise.OutcomeUnknownException;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.AcquireReply.NotReplicated;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.Names;
import io.mortise.spi.BackendException;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns a backend's failures into those of the public API, in one place. */
public final class Failures {
  /** How a server refuses a command that it does not have, outside of scripts and inside. */
  private static final Pattern UNKNOWN = Pattern.compile("(?i)\\bunknown (\\w+ )?command\\b");

  private Failures() {}

  /** What helps at the opening if a server does not have a command. */
  public static Optional<String> stepIfUnknown(String error) {
    return UNKNOWN.matcher(error).find()
        ? Optional.of("it has no such command: use another server (docs/managed-services.md)")
        : Optional.empty();
  }

  /** The failure of a backend's future, as a {@link BackendException}. */
  static BackendException cause(@Nullable Throwable failure) {
    Throwable cause = Futures.cause(failure);
    return cause instanceof BackendException known
        ? known
        : new BackendException(BackendException.Outcome.UNKNOWN, String.valueOf(cause), cause);
  }

  /** The failure of an acquire that the store did not answer, or answered with an error. */
  public static LockException of(BackendException e, Acquisition acquisition, String endpoint) {
    if (acquisition.place().isUncertain()) {
      return new OutcomeUnknownException(
          "whether %s was acquired at %s is not known: a command got no answer; last: %s; it is being withdrawn, at the latest its lease of %s ms frees it (docs/troubleshooting.md#unknown-outcome)"
              .formatted(
                  acquisition.keys().text(),
                  endpoint,
                  e.getMessage(),
                  acquisition.lease().terms().millis()),
          e);
    }
    return notDone(acquisition.keys().text() + " was not acquired", e, endpoint);
  }

  /** The failure of an acquire that too few replicas confirmed. */
  static NotReplicatedException notReplicated(
      NotReplicated few, Acquisition acquisition, String endpoint) {
    return new NotReplicatedException(
        "%s was not acquired at %s: %s; it is being given back (docs/troubleshooting.md#not-replicated)"
            .formatted(acquisition.keys().text(), endpoint, few));
  }

  /** The failure of a longer lease that too few replicas confirmed. */
  static NotReplicatedException notReplicated(NotReplicated few, String what, String endpoint) {
    return new NotReplicatedException(
        "not done: %s at %s: %s; the lease ends when it would have ended (docs/troubleshooting.md#not-replicated)"
            .formatted(what, endpoint, few));
  }

  /** The failure of an acquire whose reply came after its lease had ended. */
  static BackendUnavailableException tooSlow(LockKeys keys, LeaseTerms lease, String endpoint) {
    return new BackendUnavailableException(
        "%s was not acquired in time: the answer of %s came after its lease of %s ms had ended; ask for a longer lease (docs/troubleshooting.md#unreachable)"
            .formatted(keys.text(), endpoint, lease.millis()),
        null);
  }

  /** The failure of a command other than an acquire. */
  public static LockException of(BackendException e, String what, String endpoint) {
    return e.outcome() == BackendException.Outcome.UNKNOWN
        ? new OutcomeUnknownException(
            "whether %s at %s is not known (%s); look again before relying on it (docs/troubleshooting.md#unknown-outcome)"
                .formatted(what, endpoint, e.getMessage()),
            e)
        : notDone("not done: " + what, e, endpoint);
  }

  /**
   * The failure of the check at open. Nothing was acquired, so it does not matter whether it ran.
   */
  public static BackendUnavailableException notOpened(BackendException e, String endpoint) {
    return notDone("no service was opened, the check of the store failed", e, endpoint);
  }

  private static BackendUnavailableException notDone(
      String what, BackendException e, String endpoint) {
    String next = nextStep(e);
    return new BackendUnavailableException(
        "%s: %s at %s; %s".formatted(what, e.getMessage(), endpoint, next), e);
  }

  private static String nextStep(BackendException e) {
    if (String.valueOf(e.getMessage()).startsWith("LOADING")) {
      return "try again when the server has loaded its data";
    }
    if (e.getCause() instanceof IllegalStateException
        && String.valueOf(e.getMessage()).endsWith("the client is closed")) {
      return "close the service before the client (docs/troubleshooting.md#client-closed)";
    }
    if (String.valueOf(e.getMessage()).contains("OOM command not allowed")) {
      return "the server is full: raise its maxmemory, or delete what is not needed (docs/operating.md#keep-evictions-off)";
    }
    if (e.outcome() == BackendException.Outcome.REPLIED) {
      return "the server refused, see its error (docs/troubleshooting.md#permissions)";
    }
    return e.getCause() instanceof NoSuchElementException
        ? "the client's pool is too small (docs/troubleshooting.md#unreachable)"
        : "check that the server runs and can be reached (docs/troubleshooting.md#unreachable)";
  }

  /**
   * The failure of a thread that waited behind another one of its service, which could not reach
   * the store.
   */
  static BackendUnavailableException ofOther(LockKeys keys, RuntimeException seen) {
    return new BackendUnavailableException(
        "%s was not acquired in time: %s".formatted(keys.text(), seen.getMessage()), seen);
  }

  public static ForeignKeyException foreign(LockKeys keys, String found) {
    return new ForeignKeyException(
        "%s: its keys (%s and companions) hold somebody else's data, a %s; use another name or key prefix, or remove that key (docs/troubleshooting.md#foreign-key)"
            .formatted(keys.text(), Names.shown(keys.lock()), found),
        null);
  }

  public static IllegalStateException permitsUnset(LockKeys keys) {
    return new IllegalStateException(
        keys.text()
            + " has no permits set: they were never set, or the store has forgotten them (7 days without a lease, or its key was deleted or lost); call trySetPermits, also if it was called before (docs/troubleshooting.md#unset)");
  }

  /** The caller's or the key's fault that a reply reports; null if it reports none. */
  public static @Nullable RuntimeException of(AcquireReply reply, LockKeys keys) {
    if (reply instanceof AcquireReply.Foreign foreign) {
      return foreign(keys, foreign.found());
    }
    if (reply instanceof AcquireReply.Unset) {
      return permitsUnset(keys);
    }
    if (reply instanceof AcquireReply.TooMany all) {
      return new IllegalArgumentException(
          "%s has %d permits, and %d were asked for; ask for fewer, or resize it"
              .formatted(keys.text(), all.permits(), keys.permits()));
    }
    return null;
  }
}
