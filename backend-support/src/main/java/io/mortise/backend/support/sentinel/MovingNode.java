package io.mortise.backend.support.sentinel;

import io.mortise.backend.support.RoamingSubscription;
import io.mortise.backend.support.Threads;
import io.mortise.backend.support.Waits;
import io.mortise.backend.support.sentinel.SentinelWatch.Master;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The backend of the present master, and the subscriptions, which move with it. When another server
 * becomes the master, the backend of the old one is closed at once: the old master may live on, and
 * what it still executes is lost. Thread-safe.
 */
final class MovingNode {
  /**
   * The time of one master. The future fails if its backend cannot be opened, or comes too late.
   */
  record Term(Master master, CompletableFuture<LockBackend> node) {
    /** The backend, if it is open. */
    @Nullable LockBackend open() {
      return node.isDone() && !node.isCompletedExceptionally() ? node.join() : null;
    }

    /** The call, with the number of the failover that began this term if the call wants it. */
    ScriptCall numbered(ScriptCall call) {
      if (!call.wantsEpoch()) {
        return call;
      }
      List<String> args = new ArrayList<>(call.args());
      args.add(Long.toString(Math.max(0, master.epoch())));
      return new ScriptCall(
          call.script(), call.keys(), args, call.timeout(), call.acks(), false, call.patience());
    }
  }

  /** From a subscription that the master's backend did not take to the next attempt. */
  private static final long PAUSE_MS = 1000;

  private final Function<String, LockBackend> opener;

  /** Runs all changes one after another. No task on it waits for a server. */
  private final ScheduledThreadPoolExecutor turns = Threads.daemons("mortise-sentinel-turns", 1);

  /** Open and close backends, which waits for servers. */
  private final ScheduledThreadPoolExecutor openers = Threads.daemons("mortise-sentinel-opener", 4);

  private final List<RoamingSubscription> channels = new CopyOnWriteArrayList<>();
  private volatile Term term =
      new Term(new Master("", Long.MIN_VALUE, Duration.ZERO), new CompletableFuture<>());
  private volatile boolean closed;

  /**
   * @param opener connects to a server by its host and port, and checks that it is a master
   */
  MovingNode(Function<String, LockBackend> opener) {
    this.opener = opener;
  }

  /** The time of the present master. Its place is empty while none is known. */
  Term term() {
    return term;
  }

  /** Waits until all answers that were given before have taken effect. */
  void settle() {
    Waits.join(CompletableFuture.runAsync(() -> {}, turns));
  }

  /** Takes an answer of a sentinel. It has an effect if its epoch is higher than the present. */
  void named(Master master) {
    turns.execute(() -> consider(master));
  }

  private void consider(Master master) {
    Term now = term;
    if (!closed && master.epoch() > now.master().epoch()) {
      if (master.place().equals(now.master().place())) {
        term = new Term(master, now.node());
      } else {
        start(new Term(master, new CompletableFuture<>()));
        String what = now.master().place() + " is no longer the master, but " + master.place();
        end(now, new BackendException(Outcome.NOT_EXECUTED, what, null));
      }
    }
  }

  /** Tries again to open the backend, if it could not be opened. */
  void retry() {
    turns.execute(() -> {
      if (!closed && term.node().isCompletedExceptionally()) {
        start(new Term(term.master(), new CompletableFuture<>()));
      }
    });
  }

  private void start(Term next) {
    term = next;
    try {
      openers.execute(() -> open(next));
    } catch (Error e) { // no thread can be made: the next failed call tries again
      next.node().completeExceptionally(e);
    }
    CompletableFuture<?> unused =
        next.node().whenComplete((node, e) -> turns.execute(this::opened));
  }

  private void open(Term next) {
    try {
      LockBackend backend = opener.apply(next.master().place());
      boolean late = !next.node().complete(backend);
      if (late || closed) {
        backend.close();
      }
    } catch (RuntimeException | Error e) {
      next.node().completeExceptionally(e);
    }
  }

  /** The opening of a backend has ended, with or without success. */
  private void opened() {
    LockBackend node = term.open();
    if (node != null) {
      channels.forEach(each -> attach(each, node));
    } else if (term.node().isCompletedExceptionally()) {
      tellFailure(channels);
    }
  }

  private void tellFailure(List<RoamingSubscription> users) {
    CompletableFuture<?> unused =
        term.node()
            .exceptionally(e -> {
              users.forEach(each -> each.interrupted(e));
              return null;
            });
  }

  private void end(Term over, BackendException why) {
    over.node().completeExceptionally(why);
    CompletableFuture<?> unused = over.node().thenAcceptAsync(LockBackend::close, openers);
    channels.forEach(each -> each.detach(why));
  }

  /** Subscribes a listener; see {@link LockBackend#subscribe}. */
  Subscription subscribe(String channel, ChannelListener listener) {
    RoamingSubscription user = new RoamingSubscription(channel, listener);
    turns.execute(() -> join(user));
    return () -> {
      user.close();
      turns.execute(() -> leave(user));
    };
  }

  private void join(RoamingSubscription user) {
    LockBackend node = term.open();
    if (closed) {
      user.interrupted(new IllegalStateException("the backend is closed"));
    } else {
      channels.add(user);
      if (node != null) {
        attach(user, node);
      } else if (term.node().isCompletedExceptionally()) {
        tellFailure(List.of(user));
      }
    }
  }

  private void attach(RoamingSubscription user, LockBackend node) {
    try {
      user.attach(node.info().endpoint(), node::subscribe, cause -> {});
    } catch (RuntimeException | Error e) {
      user.interrupted(e);
      Runnable again =
          () -> {
            if (!closed && channels.contains(user) && node.equals(term.open())) {
              attach(user, node);
            }
          };
      Future<?> unused = turns.schedule(again, PAUSE_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void leave(RoamingSubscription user) {
    channels.remove(user);
    user.detach(new IllegalStateException("unsubscribed"));
  }

  /**
   * Ends all subscriptions, and closes the backend on the caller's thread. Returns the threads, to
   * be ended when connections that are being made have been given up.
   */
  List<ScheduledThreadPoolExecutor> close() {
    closed = true;
    channels.forEach(RoamingSubscription::close);
    term.node()
        .completeExceptionally(
            new BackendException(Outcome.NOT_EXECUTED, "the backend is closed", null));
    LockBackend node = term.open();
    if (node != null) {
      node.close();
    }
    return List.of(turns, openers);
  }
}
