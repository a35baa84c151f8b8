package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for locks that clients of Redisson release. It subscribes to Redisson's channel of each
 * such lock for as long as an acquisition of this service waits for it. On a message, one waiter
 * asks again. That grants the free lock to the first in the store's queue, in whatever service that
 * is. After each gap and after subscribing, one waiter asks as well: the lock may have been
 * released since the waiter joined the queue. Thread-safe.
 */
final class RedissonChannels {
  private static final Logger log = LoggerFactory.getLogger(RedissonChannels.class);

  private final Store store;

  /** By the lock's key. Two locks, foo and {foo}, have one channel. */
  private final Map<String, Listening> byKey = new ConcurrentHashMap<>();

  private final AtomicBoolean complained = new AtomicBoolean();

  RedissonChannels(Store store) {
    this.store = store;
  }

  /** Listens for the acquisition until it has {@link #ended}. */
  void waits(Acquisition acquisition) {
    if (!acquisition.keys().isRedisson()) {
      return;
    }
    LockKeys keys = acquisition.keys();
    Listening listening =
        byKey.compute(
            keys.lock(),
            (lock, known) -> {
              Listening one = known == null ? new Listening(keys.redissonChannel()) : known;
              one.waiting.add(acquisition);
              return one;
            });
    listening.open();
    boolean over = acquisition.lease().isHeld() || acquisition.isForgotten();
    if (over || !store.takesWork()) {
      ended(acquisition); // it ended just before it was added
    }
  }

  /** The acquisition is held, or given up. */
  void ended(Acquisition acquisition) {
    if (!acquisition.keys().isRedisson()) {
      return;
    }
    AtomicReference<@Nullable Listening> unused = new AtomicReference<>();
    byKey.computeIfPresent(
        acquisition.keys().lock(),
        (lock, listening) -> {
          listening.waiting.remove(acquisition);
          boolean last = listening.waiting.isEmpty();
          unused.set(last ? listening : null);
          return last ? null : listening;
        });
    Listening listening = unused.get();
    if (listening != null) {
      listening.close(); // outside of the map's lock: closing waits for a listener that runs
    }
  }

  void close() {
    for (String lock : List.copyOf(byKey.keySet())) {
      Listening listening = byKey.remove(lock);
      if (listening != null) {
        listening.close();
      }
    }
  }

  private final class Listening implements ChannelListener {
    private final String channel;
    private final Set<Acquisition> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean opened = new AtomicBoolean();
    private volatile @Nullable Subscription subscription;
    private volatile boolean closed;

    Listening(String channel) {
      this.channel = channel;
    }

    void open() {
      if (opened.compareAndSet(false, true)) {
        subscription = store.backend().subscribeSharded(channel, this);
        if (closed) {
          close();
        }
      }
    }

    /** Idempotent, and correct also while another thread opens it. */
    void close() {
      closed = true;
      Subscription open = subscription;
      if (open != null) {
        close(open);
      }
    }

    private void close(Subscription open) {
      try {
        open.close();
      } catch (Throwable e) { // an Error too: no hold begins or ends by it
        log.warn("{}: could not be left", channel, e);
      }
    }

    private void askAgain() {
      for (Acquisition acquisition : waiting) {
        if (!acquisition.lease().isHeld()) {
          acquisition.signal();
          return;
        }
      }
    }

    @Override
    public void onSubscribed() {
      askAgain();
    }

    @Override
    public void onMessage(String message) {
      askAgain();
    }

    @Override
    public void onInterrupted(Throwable cause) {
      if (!store.isClosed() && complained.compareAndSet(false, true)) {
        log.warn(
            "{}: not subscribed to '{}' for now, so waiters notice only every few seconds that a client of Redisson has freed the lock: {}",
            store,
            channel,
            cause.toString());
      }
    }
  }
}
