package io.mortise.backend.support.cluster;

import io.mortise.backend.support.Causes;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.ServerError;
import io.mortise.backend.support.Timeouts;
import io.mortise.backend.support.cluster.ClusterNodes.Node;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The way of one call to the node that runs it. A call is sent again only after a reply that says
 * that nothing ran: MOVED, ASK or TRYAGAIN (B2). All its steps share the call's deadline (B3). Its
 * steps follow each other, also on several threads.
 */
final class Route {
  private static final int MOST_REDIRECTIONS = 5;
  private static final int SHORTEST_PAUSE = 5;
  private static final int LONGEST_PAUSE = 50;

  private final ScriptCall call;
  private final ClusterMap map;
  private final String endpoint;
  private final int slot;
  private final long deadline;

  /** The node of the last step. */
  private @Nullable String place;

  /** Where the last redirection pointed; null for the slot's master. */
  private @Nullable String redirected;

  private boolean asking;
  private int redirections;

  /** How often each of two nodes had some of the keys. */
  private int rounds;

  /** The milliseconds to wait before the next step. */
  private int pause;

  /** Whether part of the time was used before this step. */
  private boolean late;

  /**
   * Creates the way, whose time begins now.
   *
   * @param endpoint the cluster, for messages
   * @param slot the slot of the call's keys
   */
  Route(ScriptCall call, ClusterMap map, String endpoint, int slot) {
    this.call = call;
    this.map = map;
    this.endpoint = endpoint;
    this.slot = slot;
    deadline = System.nanoTime() + call.timeout().toNanos();
  }

  /** The node of the next step. The future fails in time with the reason if there is none. */
  CompletableFuture<Node> node() {
    String next = redirected == null ? map.table().owner(slot) : redirected;
    place = next;
    if (next == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("no node has slot " + slot + "; check the cluster's state"));
    }
    CompletableFuture<Node> node = map.node(next);
    if (node.isDone()) {
      return node;
    }
    late = true;
    try {
      return Timeouts.fail(node.copy(), left().toNanos());
    } catch (Error e) { // no thread can be made for the time limit, and nothing was sent
      return CompletableFuture.failedFuture(e);
    }
  }

  boolean isAsking() {
    return asking;
  }

  Duration pause() {
    return Duration.ofMillis(pause);
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
  }

  /** The call with the time and the patience that are left. */
  ScriptCall callInTime() {
    return late ? PendingCall.rest(call, deadline) : call;
  }

  /** The exception of a call whose node could not be reached in time. */
  BackendException unreachable(Throwable failure) {
    map.refresh(null, place);
    return PendingCall.failure(call, endpoint, false, Causes.of(failure));
  }

  /**
   * Decides what follows a failed step.
   *
   * @throws BackendException the call has failed; otherwise the next step may begin after the pause
   */
  void failed(BackendException e) {
    String text = String.valueOf(e.getMessage());
    boolean nothingRan = e.outcome() == Outcome.NOT_EXECUTED;
    switch (nothingRan ? ServerError.of(text) : ServerError.OTHER) {
      case MOVED, ASK -> redirect(text, e);
      case TRY_AGAIN -> tryAgain();
      default -> {
        if (e.outcome() != Outcome.REPLIED) {
          map.refresh(null, place);
        }
        boolean sent = e.outcome() == Outcome.UNKNOWN;
        throw late ? PendingCall.failure(call, endpoint + ", node " + place, sent, e) : e;
      }
    }
    late = true;
    // Another round is begun only if there is time for its reply: without it the outcome is open.
    int needed = pause == 0 ? 0 : pause + LONGEST_PAUSE;
    if (deadline - System.nanoTime() <= TimeUnit.MILLISECONDS.toNanos(needed)) {
      throw notSent("waited for " + call.timeout() + "; last: " + text, e);
    }
  }

  /** The slot's keys are on two nodes. Another round begins at the slot's master. */
  private void tryAgain() {
    redirected = null;
    asking = false;
    redirections = 0;
    pause = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE << Math.min(rounds++, 8));
  }

  /** Follows {@code MOVED 3999 host:port} or {@code ASK 3999 host:port}. */
  private void redirect(String text, BackendException e) {
    String target = text.substring(text.lastIndexOf(' ') + 1);
    int colon = target.lastIndexOf(':');
    if (colon < 0 || ++redirections > MOST_REDIRECTIONS) {
      throw notSent("redirected too often; last: " + text, e);
    }
    String asked = String.valueOf(place);
    redirected = SlotTable.place(target.substring(0, colon), target.substring(colon + 1), asked);
    asking = text.startsWith("ASK");
    pause = 0;
    if (!asking) {
      map.refresh(redirected, null);
    }
  }

  private BackendException notSent(String why, BackendException last) {
    String message = endpoint + ": " + call.script().name() + " was not sent: " + why;
    return new BackendException(Outcome.NOT_EXECUTED, message, last);
  }
}
