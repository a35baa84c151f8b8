package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.conformance.Rule;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The messages of a lock that clients of Redisson share. */
class RedissonMessagesTest extends SharedWithRedisson {
  /** A backend that runs an action just before it subscribes to Redisson's channel. */
  private LockBackend beforeListening(Consumer<ChannelListener> first) {
    LockBackend backend = store.backend();
    return (LockBackend)
        Proxy.newProxyInstance(
            LockBackend.class.getClassLoader(),
            new Class<?>[] {LockBackend.class},
            (proxy, method, args) -> {
              if (method.getName().equals("subscribeSharded")
                  && args[1] instanceof ChannelListener listener
                  && CHANNEL.equals(args[0])) {
                first.accept(listener);
              }
              return method.invoke(backend, args);
            });
  }

  @Test
  @Rule({"RS2", "L10"})
  void whatTheyFreeBeforeWeListenIsNotMissed() {
    redissonLocks();

    CompletableFuture<Lease> waiting =
        lock(beforeListening(listener -> redissonUnlocks())).async().acquire();

    assertTrue(waiting.isDone());
  }

  @Test
  @Rule({"RS2", "L10"})
  void whatTheyFreeInAGapIsSeenAtItsEnd() {
    List<ChannelListener> listeners = new ArrayList<>();
    redissonLocks();
    CompletableFuture<Lease> waiting = lock(beforeListening(listeners::add)).async().acquire();
    ChannelListener listener = listeners.get(0);

    listener.onInterrupted(new IllegalStateException("the test's gap"));
    run(NAME, "return {redis.call('DEL', KEYS[1])}");
    assertFalse(waiting.isDone());
    listener.onSubscribed();

    assertTrue(waiting.isDone());
  }

  @Test
  @Rule({"RS2", "L15"})
  void aWaiterThatGivesUpListensNoMore() {
    redissonLocks();
    CompletableFuture<Lease> waiting = holder.async().acquire();
    assertTrue(store.channels().contains(CHANNEL));

    waiting.cancel(false);

    assertFalse(store.channels().contains(CHANNEL));
  }
}
