package io.mortise.backend.inmemory;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

/**
 * One listener on one channel. A thread that has added an event calls {@link #deliver}. One thread
 * at a time delivers; it also delivers the events that other threads and the listeners add
 * meanwhile. So calls are serial and in order, and no lock is held during them.
 */
final class ChannelSubscription implements Subscription {
  /** How long {@link #close} waits for a listener call that has begun. */
  private static final long LONGEST_CALL = TimeUnit.SECONDS.toNanos(1);

  private static final long LOOK_EVERY = TimeUnit.MICROSECONDS.toNanos(50);

  private final InMemoryBackend client;
  private final LuaString channel;
  private final ChannelListener listener;
  private final Queue<Runnable> calls = new ConcurrentLinkedQueue<>();
  private final AtomicInteger requests = new AtomicInteger();
  private volatile @Nullable Thread caller;
  private volatile boolean closed;

  ChannelSubscription(InMemoryBackend client, String channel, ChannelListener listener) {
    this.client = client;
    this.channel = Numbers.text(channel);
    this.listener = listener;
    calls.add(listener::onSubscribed);
  }

  InMemoryBackend client() {
    return client;
  }

  LuaString channel() {
    return channel;
  }

  void add(String message) {
    calls.add(() -> listener.onMessage(message));
  }

  void deliver() {
    if (requests.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
        call(call);
      }
      seen = requests.addAndGet(-seen);
    } while (seen != 0);
  }

  /**
   * Sets {@link #caller} before it reads {@link #closed}. {@link #close} writes and reads them in
   * the reverse order, so at least one of the two sees the other.
   */
  private void call(Runnable call) {
    Thread thread = Thread.currentThread();
    caller = thread;
    try {
      if (!closed) {
        call.run();
      }
    } catch (RuntimeException | Error e) {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    } finally {
      caller = null;
    }
  }

  @Override
  public void close() {
    closed = true;
    client.unsubscribe(this);
    long limit = System.nanoTime() + LONGEST_CALL;
    Thread self = Thread.currentThread();
    for (Thread running = caller;
        running != null && !running.equals(self) && System.nanoTime() - limit < 0;
        running = caller) {
      LockSupport.parkNanos(this, LOOK_EVERY);
    }
  }
}
