package io.mortise.backend.vertx;

import io.mortise.backend.support.ActivityTimer;
import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.Timeouts;
import io.mortise.backend.support.Waits;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts on one Redis server through the Redis client of Vert.x, with one connection for all
 * calls and one for all channels, both on one event loop. Thread-safe. Futures complete, and
 * channel listeners are called, on that event loop. {@link #execute} refuses to wait on any event
 * loop.
 *
 * <p>A call that finds no connection waits for the next attempt to connect, which begins at most a
 * second later.
 *
 * <p>While calls are made, and for some seconds after, the backend sends a {@code PING} over both
 * connections every second. If a connection brings no reply for three seconds, it is made anew.
 */
public final class VertxBackend implements LockBackend {
  private static final Duration BEAT = Duration.ofSeconds(1);

  private final Loop loop;
  private final ChangingCredentials.@Nullable User credentials;
  private final Calls calls;
  private final Messages messages;
  private final BackendInfo info;
  private final ActivityTimer pulse;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Whether a beat waits for the event loop. Beats in a row would look like the server's silence.
   */
  private final AtomicBoolean beatWaits = new AtomicBoolean();

  /** Connects. Closes everything if that fails, but for the event loop. */
  VertxBackend(Loop loop, Connector connector) {
    this.loop = loop;
    ChangingCredentials changing = connector.changing();
    credentials = changing == null ? null : changing.join(connector.endpoint(), this::renew);
    messages = new Messages(loop, connector, credentials);
    Link ofMessages = messages.link();
    Runnable follow =
        () -> ofMessages.reconnect("calls have a new connection, which may lead to another server");
    calls = new Calls(loop, connector, credentials, follow);
    pulse = new ActivityTimer(this::beatInTurn, BEAT);
    try {
      RedisConnection made = Waits.join(connecting(calls.link()));
      long most = connector.attempt().toNanos();
      info =
          RedisServers.usable(
              connector.endpoint(), Waits.join(Timeouts.fail(Replies.facts(made), most)));
      RedisConnection unused = Waits.join(connecting(messages.link()));
    } catch (RuntimeException e) {
      closeConnections();
      throw e;
    }
  }

  private CompletableFuture<RedisConnection> connecting(Link link) {
    CompletableFuture<RedisConnection> made = new CompletableFuture<>();
    loop.run(() -> {
      CompletableFuture<?> unused =
          link.connect()
              .whenComplete((connection, e) -> {
                if (e == null) {
                  made.complete(connection);
                } else {
                  made.completeExceptionally(e);
                }
              });
    });
    return made;
  }

  /**
   * Opens a backend on the application's Vert.x. Its connections are the backend's own, with the
   * settings given here, and live on one event loop of it. {@link #close} closes the connections.
   * Close the backend before Vert.x.
   *
   * <p>It waits for the server. So it must not be called on an event loop.
   *
   * @param vertx any Vert.x; it stays the caller's
   * @param config the URI of a single server, and the settings that {@link VertxBackendProvider}
   *     knows
   * @return an open backend
   * @throws BackendException the server cannot be reached or is refused; nothing is left open
   * @throws IllegalStateException the calling thread is an event loop
   */
  public static LockBackend of(Vertx vertx, BackendConfig config) {
    return VertxBackendProvider.open(config, () -> Loop.of(vertx));
  }

  private void inTurn(Runnable task) {
    try {
      loop.run(task);
    } catch (RejectedExecutionException e) {
      // The application has closed its Vert.x, and all connections with it.
    }
  }

  private void renew() {
    inTurn(() -> {
      calls.link().renew();
      messages.link().renew();
    });
  }

  private void beatInTurn() {
    if (!beatWaits.getAndSet(true)) {
      try {
        inTurn(this::beat);
      } catch (Error e) { // or there would be no beat any more
        beatWaits.set(false);
        throw e;
      }
    }
  }

  private void beat() {
    beatWaits.set(false);
    calls.beat();
    if (messages.beat()) {
      pulse.use();
    }
  }

  private void send(List<PendingCall> some) {
    pulse.use();
    try {
      if (closed.get()) {
        some.forEach(call -> call.fail(new IllegalStateException("the backend is closed")));
      } else {
        loop.run(() -> calls.add(some));
      }
    } catch (RejectedExecutionException e) {
      some.forEach(call -> call.fail(PendingCall.clientClosed()));
    }
  }

  private PendingCall pending(ScriptCall call) {
    return new PendingCall(call, info.endpoint());
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    loop.checkMayPark();
    PendingCall pending = pending(call);
    send(List.of(pending));
    return pending.awaitReply();
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    PendingCall pending = pending(call);
    pending.limit();
    send(List.of(pending));
    return pending;
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> all) {
    List<PendingCall> pending = all.stream().map(this::pending).toList();
    PendingCall.limit(pending);
    send(pending);
    return new ArrayList<>(pending);
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    pulse.use();
    return messages.channels().subscribe(channel, listener);
  }

  @Override
  public TimeSource time() {
    return loop;
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  /**
   * Waits for a channel listener that runs. Otherwise it waits at most three seconds, and not at
   * all on an event loop of any Vert.x.
   */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      closeConnections();
      loop.close();
    }
  }

  private void closeConnections() {
    messages.channels().close();
    pulse.close();
    if (credentials != null) {
      Loop.mayWait(credentials::close);
    }
    CompletableFuture<Void> ended = new CompletableFuture<>();
    try {
      loop.run(() ->
          Future.join(calls.close(), messages.link().close())
              .onComplete(done -> ended.complete(null), e -> ended.complete(null)));
    } catch (RejectedExecutionException e) {
      ended.complete(null);
    }
    if (!Context.isOnEventLoopThread()) {
      boolean unused = Waits.awaitEnd(ended, Loop.LONGEST_END);
    }
  }

  @Override
  public String toString() {
    return "VertxBackend[" + info.endpoint() + (closed.get() ? ", closed]" : "]");
  }
}
