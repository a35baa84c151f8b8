package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Subscription;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Messages between the clients of one store. */
class SubscriptionsTest {
  private final InMemoryStore store = InMemoryStore.create();
  private final LockBackend sender = store.backend();
  private final LockBackend receiver = store.backend();

  /** Records its events, and runs an action at each message. */
  private static final class Notes implements ChannelListener {
    final List<String> seen = Collections.synchronizedList(new ArrayList<>());
    final Consumer<String> then;

    Notes(Consumer<String> then) {
      this.then = then;
    }

    Notes() {
      this(message -> {});
    }

    @Override
    public void onSubscribed() {
      seen.add("subscribed");
    }

    @Override
    public void onMessage(String message) {
      seen.add(message);
      then.accept(message);
    }

    @Override
    public void onInterrupted(Throwable cause) {
      seen.add("interrupted");
    }
  }

  private long publish(String channel, String message) {
    return (Long)
        Calls.eval(sender, "return {redis.call('PUBLISH', ARGV[1], ARGV[2])}", channel, message)
            .get(0);
  }

  @Test
  @DisplayName("B11, B14: onSubscribed comes first, PUBLISH answers the number of clients")
  void messagesReachListeners() {
    assertEquals(0, publish("c", "too early"));
    Notes notes = new Notes();
    List<Subscription> subscriptions = new ArrayList<>();
    subscriptions.add(receiver.subscribe("c", notes));
    subscriptions.add(sender.subscribe("d", new Notes()));
    assertEquals(List.of("subscribed"), notes.seen);
    assertEquals(Set.of("c", "d"), store.channels());
    assertEquals(1, publish("c", "grüße 🔒"));
    assertEquals(List.of("subscribed", "grüße 🔒"), notes.seen);
    subscriptions.add(sender.subscribe("c", new Notes()));
    subscriptions.add(receiver.subscribe("c", new Notes()));
    assertEquals(2, publish("c", "to two clients"));
    subscriptions.forEach(Subscription::close);
    assertEquals(0, publish("c", "too late"));
    assertEquals(List.of("subscribed", "grüße 🔒", "to two clients"), notes.seen);
    assertEquals(Set.of(), store.channels());
  }

  @Test
  @DisplayName("B12: messages come in order, after the end of the script that sent them")
  void messagesComeAfterTheScript() {
    List<String> keysSeen = new ArrayList<>();
    Notes notes =
        new Notes(message ->
            keysSeen.add(
                (String) Calls.eval(receiver, "return {redis.call('GET', 'last')}").get(0)));
    receiver.subscribe("c", notes);
    Calls.eval(
        sender,
        """
        for i = 1, 3 do
          redis.call('PUBLISH', 'c', i)
          redis.call('SET', 'last', i)
        end
        return {}
        """);
    assertEquals(List.of("subscribed", "1", "2", "3"), notes.seen);
    assertEquals(List.of("3", "3", "3"), keysSeen);
  }

  @Test
  void messagesOfAScriptThatFailsAreSent() {
    Notes notes = new Notes();
    receiver.subscribe("c", notes);
    assertThrows(
        BackendException.class,
        () -> Calls.eval(sender, "redis.call('PUBLISH', 'c', 'm') error('late')"));
    assertEquals(List.of("subscribed", "m"), notes.seen);
  }

  @Test
  @DisplayName("B12: a listener that publishes gets its own message later, not inside its call")
  void aListenerMayRunScripts() {
    AtomicInteger depth = new AtomicInteger();
    AtomicInteger deepest = new AtomicInteger();
    Notes notes =
        new Notes(message -> {
          deepest.accumulateAndGet(depth.incrementAndGet(), Math::max);
          int number = Integer.parseInt(message);
          if (number < 5_000) {
            publish("c", Integer.toString(number + 1));
          }
          depth.decrementAndGet();
        });
    receiver.subscribe("c", notes);
    publish("c", "1");
    assertEquals(5_001, notes.seen.size());
    assertEquals("5000", notes.seen.get(5_000));
    assertEquals(1, deepest.get());
  }

  @Test
  @DisplayName("B12: one thread at a time, in one order for all listeners and publishers")
  void manySendersAreHeardOneAtATime() throws Exception {
    AtomicBoolean inside = new AtomicBoolean();
    AtomicBoolean mixed = new AtomicBoolean();
    Notes first =
        new Notes(message -> {
          mixed.compareAndSet(false, !inside.compareAndSet(false, true));
          Thread.onSpinWait();
          inside.set(false);
        });
    Notes second = new Notes();
    receiver.subscribe("c", first);
    sender.subscribe("c", second);
    int each = 500;
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String from = i + ":";
      Thread thread =
          new Thread(() -> {
            for (int n = 0; n < each; n++) {
              publish("c", from + n);
            }
          });
      senders.add(thread);
      thread.start();
    }
    for (Thread thread : senders) {
      thread.join(TimeUnit.SECONDS.toMillis(60));
      assertFalse(thread.isAlive());
    }
    assertFalse(mixed.get());
    assertEquals(4 * each + 1, first.seen.size());
    assertEquals(first.seen, second.seen);
  }

  @Test
  @DisplayName("B15: after close has returned no call begins, and one that runs has ended")
  void afterCloseNothingIsHeard() throws Exception {
    CountDownLatch inCall = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    Notes notes =
        new Notes(message -> {
          inCall.countDown();
          awaitQuietly(goOn);
          ended.set(true);
        });
    Subscription subscription = receiver.subscribe("c", notes);
    Thread publisher =
        new Thread(() ->
            Calls.eval(sender, "for i = 1, 9 do redis.call('PUBLISH', 'c', i) end return {}"));
    publisher.start();
    assertTrue(inCall.await(10, TimeUnit.SECONDS));
    Thread closer = new Thread(subscription::close);
    closer.start();
    goOn.countDown();
    closer.join(TimeUnit.SECONDS.toMillis(10));
    assertTrue(ended.get());
    publisher.join(TimeUnit.SECONDS.toMillis(10));
    int heard = notes.seen.size();
    assertEquals(0, publish("c", "x"));
    assertEquals(heard, notes.seen.size());
    subscription.close();
  }

  @Test
  @DisplayName("B15: a listener may close its own subscription")
  void aListenerMayCloseItsSubscription() {
    List<Subscription> own = new ArrayList<>();
    Notes notes = new Notes(message -> own.get(0).close());
    own.add(receiver.subscribe("c", notes));
    Calls.eval(sender, "for i = 1, 3 do redis.call('PUBLISH', 'c', i) end return {}");
    assertEquals(List.of("subscribed", "1"), notes.seen);
  }

  @Test
  @DisplayName("B17: closing a backend ends its subscriptions and no others")
  void closingABackendEndsItsSubscriptions() {
    Notes notes = new Notes();
    Notes others = new Notes();
    receiver.subscribe("c", notes);
    sender.subscribe("c", others);
    receiver.close();
    assertEquals(1, publish("c", "m"));
    assertEquals(List.of("subscribed"), notes.seen);
    assertEquals(List.of("subscribed", "m"), others.seen);
    BackendException e =
        assertThrows(BackendException.class, () -> receiver.subscribe("c", new Notes()));
    assertEquals(Outcome.NOT_EXECUTED, e.outcome());
    sender.close();
    assertEquals(Set.of(), store.channels());
  }

  @Test
  void aListenerThatThrowsDisturbsNoOther() throws Exception {
    Notes broken =
        new Notes(message -> {
          throw new IllegalStateException("broken listener");
        });
    Notes sound = new Notes();
    receiver.subscribe("c", broken);
    receiver.subscribe("c", sound);
    List<Throwable> reported = Collections.synchronizedList(new ArrayList<>());
    Thread thread = new Thread(() -> assertEquals(1, publish("c", "1") * publish("c", "2")));
    thread.setUncaughtExceptionHandler((t, e) -> reported.add(e));
    thread.start();
    thread.join(TimeUnit.SECONDS.toMillis(10));
    assertEquals(List.of("subscribed", "1", "2"), broken.seen);
    assertEquals(List.of("subscribed", "1", "2"), sound.seen);
    assertEquals(
        List.of("broken listener", "broken listener"),
        reported.stream().map(Throwable::getMessage).toList());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
