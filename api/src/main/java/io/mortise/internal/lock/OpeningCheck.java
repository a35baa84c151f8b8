package io.mortise.internal.lock;

import io.mortise.BackendUnavailableException;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.engine.Failures;
import io.mortise.internal.engine.Store;
import io.mortise.internal.wire.SlotKeys;
import io.mortise.spi.BackendException;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.ReplicaAcks;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check of a store when a service opens: whether the options fit it, whether it allows each
 * command and channel that locks need, and whether it counts who hears a message.
 *
 * @param mailbox the channel of the service, which is subscribed to it already
 */
record OpeningCheck(Store store, String mailbox) {
  private static final Logger log = LoggerFactory.getLogger(OpeningCheck.class);

  /**
   * How many names are tried in a cluster. Their slots are spread evenly, so no master is left out
   * that has 800 slots in a row, as each of 20 has.
   */
  private static final int NAMES_IN_CLUSTER = 41;

  /** A failover is over after so many times the silence that begins it, and so long. */
  private static final int FAILOVER_TIMES = 3;

  private static final Duration FAILOVER = Duration.ofSeconds(6);

  /** The stores of the open services of this JVM, and of some that were closed. */
  private static final Set<Store> OPENED = Collections.newSetFromMap(new WeakHashMap<>());

  /** Few, since the time of each call begins when it is sent. */
  private static final int AT_ONCE = 25;

  /** How a server refuses PUBLISH that shards it, or that allows it outside of scripts only. */
  private static final Pattern NOT_IN_SCRIPTS =
      Pattern.compile("same slot|non local key|not allowed from script");

  /** No script of the service may publish to the mailboxes of others. */
  static final class PublishRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final BackendUnavailableException refusal;

    private PublishRefused(BackendUnavailableException refusal) {
      super(refusal);
      this.refusal = refusal;
    }

    /** Sends a message in another way. If that is refused too, the server cannot be used. */
    void unlessPosted(Runnable posting) {
      try {
        posting.run();
      } catch (BackendException e) {
        refusal.addSuppressed(e);
        throw refusal;
      }
    }
  }

  void run() {
    Topology topology = store.backend().info().topology();
    Duration downAfter = store.backend().info().downAfter();
    if (downAfter != null) {
      checkLease(downAfter);
    }
    List<List<Object>> replies = new ArrayList<>();
    if (topology != Topology.CLUSTER) {
      ScriptCall check = check(beginning() + 0);
      replies.add(judge(() -> twice(check, () -> store.backend().execute(check))));
    } else {
      List<ScriptCall> all =
          SlotKeys.spread(beginning(), NAMES_IN_CLUSTER).stream().map(this::check).toList();
      for (int from = 0; from < all.size(); from += AT_ONCE) {
        List<ScriptCall> checks = all.subList(from, Math.min(from + AT_ONCE, all.size()));
        List<CompletableFuture<List<Object>>> calls = store.backend().executeAll(checks);
        for (int i = 0; i < checks.size(); i++) {
          int number = i;
          replies.add(
              judge(() ->
                  twice(checks.get(number), () -> Futures.join(calls.get(number), store.time()))));
        }
      }
    }
    if (store.backend().info().publishCounts() && Long.valueOf(0).equals(replies.get(0).get(1))) {
      log.info(
          "{} does not count this service as a listener of its own channel, as a cluster behind one address does; so a waiter whose process has died costs 3 s (docs/managed-services.md)",
          store);
      store.distrustCounts();
    }
    ReplicaAcks acks = store.options().replicaAcks();
    if (acks != null) {
      checkReplicas(acks, replies);
    }
    if (store.options().redissonInterop() && store.backend().info().shardsChannels()) {
      listen(store.options().keys(beginning() + 0).redissonChannel());
    }
    checkPrefix();
  }

  /** Warns if names of another service of this JVM may lead to keys of this one. */
  private void checkPrefix() {
    List<Store> others;
    synchronized (OPENED) {
      OPENED.removeIf(Store::isClosed);
      others = List.copyOf(OPENED);
      OPENED.add(store);
    }
    String prefix = store.options().keyPrefix();
    others.stream()
        .filter(other -> other.endpoint().equals(store.endpoint()))
        .map(other -> other.options().keyPrefix())
        .filter(other -> !other.equals(prefix))
        .filter(other -> other.startsWith(prefix) || prefix.startsWith(other))
        .distinct()
        .forEach(other ->
            log.warn(
                "{}: the key prefixes '{}' and '{}' of two services of this JVM clash, because one begins with the other: they can have keys in common; choose two of which neither begins with the other (docs/configuration.md#keys)",
                store,
                prefix,
                other));
  }

  /** Warns if a failover may take longer than a hold lasts without renewal. */
  private void checkLease(Duration downAfter) {
    Duration needed = downAfter.multipliedBy(FAILOVER_TIMES).plus(FAILOVER);
    Duration lease = store.options().leaseTime();
    if (lease.compareTo(needed) < 0) {
      log.warn(
          "{}: a failover may outlast the lease of {} ms, and then ends all holds, because a master is replaced after {} ms of silence; make leaseTime at least {} ms, or that silence shorter (docs/operating.md#run-with-sentinels)",
          store.endpoint(),
          lease.toMillis(),
          downAfter.toMillis(),
          needed.toMillis());
    }
  }

  /**
   * Makes a call once more that had no reply in time. The first call of a JVM may be late because a
   * client's classes are loaded meanwhile, and calls may wait for connections that are made.
   */
  private List<Object> twice(ScriptCall check, Supplier<List<Object>> first) {
    try {
      return first.get();
    } catch (BackendException e) {
      if (isLate(e)) {
        return store.backend().execute(check);
      }
      throw e;
    }
  }

  private static boolean isLate(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause != null && (cause instanceof TimeoutException || isLate(cause));
  }

  private ScriptCall check(String name) {
    return store.scripts().check(store.options().keys(name), mailbox);
  }

  /** How the names of locks begin that no other client uses. */
  private String beginning() {
    return "check~" + store.clientId() + '~';
  }

  /** Listens to a sharded channel, since no script can try that. */
  private void listen(String channel) {
    CompletableFuture<Boolean> confirmed = new CompletableFuture<>();
    Duration timeout = store.options().commandTimeout();
    AtomicReference<String> why =
        new AtomicReference<>("no confirmation within " + timeout.toMillis() + " ms");
    ChannelListener listener =
        new ChannelListener() {
          @Override
          public void onSubscribed() {
            confirmed.complete(true);
          }

          @Override
          public void onInterrupted(Throwable cause) {
            why.set(String.valueOf(cause.getMessage())); // it may still be confirmed
          }

          @Override
          public void onMessage(String message) {}
        };
    Subscription subscription = store.backend().subscribeSharded(channel, listener);
    TimeSource.Timer late = store.time().schedule(() -> confirmed.complete(false), timeout);
    boolean heard = Futures.join(confirmed, store.time());
    late.close();
    subscription.close();
    if (!heard) {
      throw refused("SSUBSCRIBE", why.get(), null);
    }
  }

  /** The third element of a reply is the number of replicas of the server that ran the check. */
  private void checkReplicas(ReplicaAcks acks, List<List<Object>> replies) {
    long least = Long.MAX_VALUE;
    for (List<Object> reply : replies) {
      if (reply.size() < 3 || !(reply.get(2) instanceof Long replicas)) {
        throw new UnsupportedOperationException(
            "the backend of %s does not wait for replicas; leave replicaAcks(%d, %s) out, or use a backend for Redis"
                .formatted(store.endpoint(), acks.replicas(), acks.timeout()));
      }
      least = Math.min(least, replicas);
    }
    if (least < acks.replicas()) {
      log.warn(
          "{} has {} of the {} replicas that replicaAcks asks for; until more are connected, no lock can be acquired (docs/troubleshooting.md#not-replicated)",
          store.endpoint(),
          least,
          acks.replicas());
    }
  }

  private List<Object> judge(Supplier<List<Object>> answer) {
    List<Object> reply;
    try {
      reply = answer.get();
    } catch (BackendException e) {
      throw e.outcome() == BackendException.Outcome.REPLIED
          ? refused("EVALSHA", String.valueOf(e.getMessage()), e)
          : Failures.notOpened(e, store.endpoint());
    }
    if (!reply.get(0).equals("OK")) {
      String command = (String) reply.get(1);
      String error = (String) reply.get(2);
      BackendException cause = new BackendException(BackendException.Outcome.REPLIED, error, null);
      BackendUnavailableException refusal = refused(command, error, cause);
      throw command.equals("PUBLISH") && NOT_IN_SCRIPTS.matcher(error).find()
          ? new PublishRefused(refusal)
          : refusal;
    }
    return reply;
  }

  private BackendUnavailableException refused(
      String command, String error, @Nullable Throwable cause) {
    String prefix = store.options().keyPrefix();
    String shared =
        store.options().redissonInterop()
            ? ", and, for locks shared with Redisson, for keys of their names and channels redisson_lock__channel:*"
            : "";
    String allow =
        error.contains("access database")
            ? "allow the user this database (db=… or alldbs), or choose another"
            : "allow it for keys %s* and channels %s*%s".formatted(prefix, prefix, shared);
    String step =
        cannotWrite(error)
            .or(() -> Failures.stepIfUnknown(error))
            .orElse(allow + " (docs/troubleshooting.md#permissions)");
    return new BackendUnavailableException(
        "%s refused %s, which locks need: %s; %s".formatted(store.endpoint(), command, error, step),
        cause);
  }

  /** The step that helps against a refusal that has nothing to do with permissions. */
  private static Optional<String> cannotWrite(String error) {
    String step =
        switch (error.split(" ", 2)[0]) {
          case "NOREPLICAS" -> "connect replicas to it, or lower its min-replicas-to-write";
          case "MISCONF" -> "look at its log and its disk (stop-writes-on-bgsave-error)";
          case "READONLY" -> "give the address of the master";
          default -> "";
        };
    return step.isEmpty()
        ? Optional.empty()
        : Optional.of(step + " (docs/troubleshooting.md#unreachable)");
  }
}
