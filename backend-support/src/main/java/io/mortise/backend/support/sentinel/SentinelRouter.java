package io.mortise.backend.support.sentinel;

import io.mortise.backend.support.ActivityTimer;
import io.mortise.backend.support.Causes;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Threads;
import io.mortise.backend.support.Timeouts;
import io.mortise.backend.support.Waits;
import io.mortise.backend.support.sentinel.MovingNode.Term;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts on the master that sentinels name, through the backend of that one server.
 *
 * <p>All sentinels are listened to, and asked every ten seconds while calls are made, and after
 * every failed call. As soon as one of them names another master, the backend of the old one is
 * closed. Calls in flight end with outcome {@code UNKNOWN}, later ones go to the new master, and
 * subscriptions report a gap. The library's own watchers are not used, because they go back to a
 * master that was only away.
 *
 * <p>While no master can be reached, calls fail as they do on a single server that is down. If all
 * sentinels are down, the last master stays. Thread-safe.
 */
public final class SentinelRouter implements LockBackend {
  private static final Duration POLL = Duration.ofSeconds(10);
  private static final String OWN_USER =
      ". Sentinels have a user and a password of their own: sentinel.user, sentinel.password";
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(200);

  private final SentinelNodes nodes;
  private final String endpoint;
  private final MovingNode master;
  private final SentinelWatch watch;
  private final ActivityTimer pulse;
  private final BackendInfo info;
  private final AtomicLong lastAsked = new AtomicLong(System.nanoTime());
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Connects to the sentinels, and to the master that they name. If that fails, it closes
   * everything.
   *
   * @param nodes makes the connections; closed with the router
   * @param address the sentinels and the master's name
   * @param command the time of a command: how long to wait for sentinels that do not answer, once
   *     one has answered. The times of the opening follow it.
   * @throws BackendException no sentinel names the master, or it cannot be reached, or is no master
   */
  public SentinelRouter(SentinelNodes nodes, SentinelAddress address, Duration command) {
    this.nodes = nodes;
    endpoint = address.toString();
    master = new MovingNode(nodes::master);
    watch = new SentinelWatch(nodes, address.master(), master::named);
    pulse = new ActivityTimer(watch::askAll, POLL);
    try {
      LockBackend opened = firstMaster(address.sentinels(), command);
      BackendInfo first = opened.info();
      Duration silence = master.term().master().downAfter();
      info =
          new BackendInfo(endpoint, first.serverVersion(), true, true, Topology.SENTINEL, silence);
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private LockBackend firstMaster(List<String> sentinels, Duration command) {
    Duration longest = Opening.longest(command, sentinels.size());
    CompletableFuture<Void> asked = watch.open(sentinels);
    if (!Waits.awaitEnd(asked, command) && (isUnknown() || !watch.isReady())) {
      Waits.awaitEnd(asked, longest);
    }
    if (isUnknown() || !watch.isReady()) {
      String what = isUnknown() ? "no sentinel names its master. " : "no sentinel can be heard. ";
      String user =
          watch.failures().matches("(?s).*\\b(NOAUTH|WRONGPASS|NOPERM)\\b.*") ? OWN_USER : "";
      throw unusable(what + watch.failures() + user, watch.cause());
    }
    Term term = master.term();
    Waits.awaitEnd(term.node(), longest);
    LockBackend open = term.open();
    if (open == null) {
      Throwable cause = term.node().handle((backend, e) -> e).getNow(null);
      String why = cause == null ? "it does not answer" : String.valueOf(cause.getMessage());
      String named = "sentinels name " + term.master().place() + " as its master. ";
      throw unusable(named + withStep(why), cause);
    }
    return open;
  }

  /** What helps if it is the sentinels that should name something else. */
  private static String withStep(String why) {
    if (why.endsWith("listens at that address")) {
      return why
          + "; let the sentinels name an address that this machine reaches (replica-announce-ip)";
    }
    return why.replaceFirst(
        "(it is a standalone replica.*?); write redis://.*",
        "$1; a failover is under way, or that sentinel is out of date: open again");
  }

  private boolean isUnknown() {
    master.settle();
    return place().isEmpty();
  }

  private String place() {
    return master.term().master().place();
  }

  private BackendException unusable(String why, @Nullable Throwable cause) {
    String message = endpoint + " cannot be used: " + why;
    return new BackendException(Outcome.NOT_EXECUTED, message, cause);
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    time().checkMayPark();
    pulse.use();
    Term term = master.term();
    LockBackend node = term.open();
    try {
      return node == null ? awaitOpening(term, call) : node.execute(term.numbered(call));
    } catch (BackendException e) {
      failed(e);
      throw e;
    }
  }

  /** Waits for the master's backend within the call's own time and patience, and runs the call. */
  private List<Object> awaitOpening(Term term, ScriptCall call) {
    long deadline = System.nanoTime() + call.timeout().toNanos();
    CompletableFuture<LockBackend> node = term.node().copy();
    Waits.awaitNode(node, call);
    try {
      return node.join().execute(PendingCall.rest(term.numbered(call), deadline));
    } catch (CompletionException | BackendException e) {
      throw PendingCall.failure(call, endpoint, false, Causes.of(e));
    }
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    pulse.use();
    Term term = master.term();
    LockBackend node = term.open();
    return node == null ? onceOpen(term, call) : watched(node.executeAsync(term.numbered(call)));
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    pulse.use();
    Term term = master.term();
    LockBackend node = term.open();
    if (node == null) {
      return calls.stream().map(call -> onceOpen(term, call)).toList();
    }
    return node.executeAll(calls.stream().map(term::numbered).toList()).stream()
        .map(this::watched)
        .toList();
  }

  /** Runs a call when the master's backend is open, within the call's own time. */
  private CompletableFuture<List<Object>> onceOpen(Term term, ScriptCall call) {
    long deadline = System.nanoTime() + call.timeout().toNanos();
    CompletableFuture<List<Object>> reply = new CompletableFuture<>();
    CompletableFuture<?> unused =
        opening(term, call)
            .whenComplete((node, e) -> {
              if (node == null) {
                reply.completeExceptionally(
                    PendingCall.failure(call, endpoint, false, Causes.of(e)));
              } else {
                pass(sent(node, PendingCall.rest(term.numbered(call), deadline)), call, reply);
              }
            });
    return watched(reply);
  }

  private static CompletableFuture<LockBackend> opening(Term term, ScriptCall call) {
    try {
      return Timeouts.fail(term.node().copy(), call.timeout().toNanos());
    } catch (Error e) { // no thread can be made for the time limit, and nothing was sent
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<List<Object>> sent(LockBackend node, ScriptCall call) {
    try {
      return node.executeAsync(call);
    } catch (RuntimeException | Error e) { // the node was closed, or no thread can be made
      return CompletableFuture.failedFuture(e);
    }
  }

  private void pass(
      CompletableFuture<List<Object>> from, ScriptCall call, CompletableFuture<List<Object>> to) {
    CompletableFuture<?> unused =
        from.whenComplete((done, e) -> {
          if (done != null) {
            to.complete(done);
          } else {
            to.completeExceptionally(PendingCall.failure(call, endpoint, false, Causes.known(e)));
          }
        });
  }

  private CompletableFuture<List<Object>> watched(CompletableFuture<List<Object>> reply) {
    CompletableFuture<?> unused =
        reply.whenComplete((done, e) -> {
          if (e instanceof BackendException failure) {
            failed(failure);
          }
        });
    return reply;
  }

  /** A failure may be a failover. An error that a script has caused is none. */
  private void failed(BackendException e) {
    long last = lastAsked.get();
    long now = System.nanoTime();
    if (e.outcome() != Outcome.REPLIED
        && now - last > PAUSE
        && lastAsked.compareAndSet(last, now)) {
      try {
        watch.askAll();
        master.retry();
      } catch (Error error) {
        // No thread can be made. The call's own failure is told, and the next one asks again.
      }
    }
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    pulse.use();
    return master.subscribe(channel, listener);
  }

  @Override
  public TimeSource time() {
    return nodes.time();
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  /** Closes all connections, and ends all threads. Waits some seconds for those that are busy. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      pulse.close();
      List<ScheduledThreadPoolExecutor> threads = new ArrayList<>(watch.close());
      threads.addAll(master.close());
      nodes.close();
      Threads.end(threads);
    }
  }

  @Override
  public String toString() {
    return "SentinelRouter[" + endpoint + ", master " + place() + ']';
  }
}
