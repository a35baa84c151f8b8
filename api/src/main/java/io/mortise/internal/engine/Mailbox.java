package io.mortise.internal.engine;

import io.mortise.BackendUnavailableException;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockScripts;
import io.mortise.internal.wire.Names;
import io.mortise.internal.wire.Probe;
import io.mortise.spi.BackendException;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one message channel of a service, subscribed once. Messages are hints of the form {@code
 * kind|id|lock key}. A kind may have more words behind it, which a later version may add. A kind
 * that is not known here means nothing, because a later version may have it:
 *
 * <ul>
 *   <li>A grant wakes what asks for the acquisition. That asks the store.
 *   <li>A loss ends the hold of the id.
 *   <li>A wish of another request ends what a gate keeps for its threads. About an id that is over
 *       it means nothing: it may have crossed the release.
 *   <li>A signal wakes a waiter of a condition.
 *   <li>A probe looks for a deadlock. About an id that is over it means nothing.
 * </ul>
 *
 * <p>After a gap, all waiters ask the store again, since their message may have been in the gap. No
 * hold from before its end is retained, or handed off for longer because nobody asks for it.
 */
public final class Mailbox implements ChannelListener {
  private static final Logger log = LoggerFactory.getLogger(Mailbox.class);

  /** The message of the check at opening. It is sent to be counted. */
  public static final String CHECK = "check";

  private final Store store;
  private final Acquisitions acquisitions;
  private final Withdrawals withdrawals;
  private final ConditionWaiters conditions;
  private final BiConsumer<String, String> probes;
  private final CompletableFuture<Void> first = new CompletableFuture<>();
  private final AtomicBoolean ignoring = new AtomicBoolean();
  private volatile boolean interrupted;

  /** Changes whenever the connection for messages may be another one. */
  private final AtomicInteger epoch = new AtomicInteger();

  private volatile @Nullable Subscription subscription;

  /**
   * @param probes gets the words and the id of each message that looks for a deadlock
   */
  Mailbox(
      Store store,
      Acquisitions acquisitions,
      Withdrawals withdrawals,
      ConditionWaiters conditions,
      BiConsumer<String, String> probes) {
    this.store = store;
    this.acquisitions = acquisitions;
    this.withdrawals = withdrawals;
    this.conditions = conditions;
    this.probes = probes;
  }

  public String channel() {
    return LockScripts.mailPrefix(store.options().keyPrefix()) + store.clientId();
  }

  /** Subscribes, and waits until the server has confirmed. */
  public void open(Duration timeout) {
    try {
      subscription = store.backend().subscribe(channel(), this);
      Void unused = Futures.get(first, timeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notSubscribed("the thread was interrupted", e);
    } catch (BackendException e) {
      throw notSubscribed(String.valueOf(e.getMessage()), e);
    } catch (ExecutionException e) {
      throw notSubscribed(reason(e.getCause()), e.getCause());
    } catch (TimeoutException e) {
      throw notSubscribed("no confirmation within " + timeout.toSeconds() + " s", e);
    }
  }

  /** The words of the backend, or else those of the innermost cause. */
  private static String reason(@Nullable Throwable failure) {
    String words = "";
    for (Throwable each = failure; each != null; each = each.getCause()) {
      words = String.valueOf(each.getMessage());
      if (each instanceof BackendException) {
        break;
      }
    }
    return words;
  }

  private BackendUnavailableException notSubscribed(String why, @Nullable Throwable cause) {
    return new BackendUnavailableException(
        "%s did not let this service subscribe to its channel '%s': %s; %s"
            .formatted(store.endpoint(), channel(), why, nextStep(why, cause)),
        cause);
  }

  private String nextStep(String why, @Nullable Throwable cause) {
    if (cause instanceof InterruptedException) {
      return "open it on a thread that is not interrupted";
    }
    if (why.contains("NOPERM")) {
      return "an ACL must allow SUBSCRIBE and the channels %s* (docs/troubleshooting.md#permissions)"
          .formatted(LockScripts.mailPrefix(store.options().keyPrefix()));
    }
    if (Failures.stepIfUnknown(why).isPresent()) {
      return "it has no such command: this server has no pub/sub, which locks need; use another one (docs/managed-services.md#limits-of-other-servers)";
    }
    if (why.contains("max number of clients")) {
      return "close connections that are not needed (CLIENT LIST), or raise maxclients";
    }
    return "check that every server is reached at the address that it is named by (docs/troubleshooting.md#unreachable)";
  }

  int epoch() {
    return epoch.get();
  }

  /** Whether it has heard every message since it had that epoch. */
  boolean hearsSince(int before) {
    return !interrupted && before == epoch.get();
  }

  @Override
  public void onSubscribed() {
    epoch.incrementAndGet();
    if (first.isDone() && interrupted) {
      log.info("{}: messages arrive again", store);
    }
    interrupted = false;
    acquisitions.missedMessages();
    acquisitions.askAgain();
    conditions.askAll();
    // Last: the service is used from here on, and has missed no message.
    boolean unused = first.complete(null);
  }

  @Override
  public void onInterrupted(Throwable cause) {
    interrupted = true;
    epoch.incrementAndGet();
    acquisitions.missedMessages();
    if (!first.completeExceptionally(cause) && !store.isClosed()) {
      log.warn(
          "{}: no messages for now, waiters ask every few seconds: {}", store, cause.toString());
      log.debug("the messages' connection was lost", cause);
    }
  }

  @Override
  public void onMessage(String message) {
    if (message.equals(CHECK)) {
      return;
    }
    String[] parts = message.split("\\|", 3);
    String kind = parts.length < 3 ? "" : parts[0].split(" ", 2)[0];
    switch (kind) {
      case "grant" -> granted(parts[1], parts[2]);
      case "lost" -> acquisitions.revoked(parts[1]);
      case "wanted" -> acquisitions.wanted(parts[1]);
      case "signal" -> conditions.signalled(parts[1]);
      case Probe.KIND -> probes.accept(parts[0], parts[1]);
      default -> ignored(message);
    }
  }

  /** Logged once, since a later version may send many of them. */
  private void ignored(String message) {
    if (ignoring.compareAndSet(false, true)) {
      log.warn(
          "{} ignores messages of a kind that it does not know, the first is '{}'; if a later version of Mortise runs beside this one, that is all right, and else look what publishes to {}",
          store,
          Names.shownStart(message, 100),
          channel());
    }
  }

  /**
   * A grant to an id that is not here any more would keep the lock from others, so it is given
   * back.
   */
  private void granted(String id, String lockKey) {
    Acquisition acquisition = acquisitions.find(id);
    if (acquisition == null) {
      withdrawals.leave(LockKeys.ofLockKey(store.options().keyPrefix(), lockKey), id);
    } else if (!acquisition.lease().wasTaken()) {
      LockLog.granted(acquisition, "by message");
      acquisition.grantedByMessage();
    }
  }

  void close() {
    Subscription open = subscription;
    if (open != null) {
      open.close();
    }
  }
}
