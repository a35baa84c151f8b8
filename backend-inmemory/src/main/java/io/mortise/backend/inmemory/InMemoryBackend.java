package io.mortise.backend.inmemory;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One client of a store. A script waits for nothing but other scripts, so every call runs on the
 * caller's thread.
 */
final class InMemoryBackend implements LockBackend {
  /** The Redis version whose commands and error texts the store was compared with. */
  private static final String SERVER_VERSION = "7.0.0";

  private final InMemoryStore store;
  private final Server server;
  private final Set<ChannelSubscription> subscriptions = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  InMemoryBackend(InMemoryStore store, Server server) {
    this.store = store;
    this.server = server;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    return server.run(this, call);
  }

  /** Runs the script at once on the caller's thread: it cannot take long. */
  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    try {
      return CompletableFuture.completedFuture(execute(call));
    } catch (BackendException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    ChannelSubscription subscription = new ChannelSubscription(this, channel, listener);
    // Added first, so that a close in between finds it.
    subscriptions.add(subscription);
    try {
      server.subscribe(subscription);
    } catch (BackendException e) {
      subscriptions.remove(subscription);
      throw e;
    }
    subscription.deliver();
    return subscription;
  }

  void unsubscribe(ChannelSubscription subscription) {
    subscriptions.remove(subscription);
    server.unsubscribe(subscription);
  }

  @Override
  public BackendInfo info() {
    return new BackendInfo(store.toString(), SERVER_VERSION, true, true);
  }

  @Override
  public TimeSource time() {
    return store.time();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      // Waits for a running call to end. A call that waits for the lock then finds the backend
      // closed.
      server.withLock(() -> {});
      subscriptions.forEach(ChannelSubscription::close);
      store.closed();
    }
  }

  /** Called under the server's lock, so that no call begins after {@link #close}. */
  void ensureOpen() {
    if (closed.get()) {
      throw new BackendException(
          Outcome.NOT_EXECUTED, store + ": this backend is closed; open another one", null);
    }
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
