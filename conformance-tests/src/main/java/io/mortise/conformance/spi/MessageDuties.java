package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a listener hears while nothing fails. */
abstract class MessageDuties extends Duties {
  private LockBackend backend;

  MessageDuties(BackendConformance suite) {
    super(suite);
  }

  @BeforeEach
  void openBackend() {
    backend = open();
  }

  private Recorder subscribed(LockBackend to, String channel) {
    Recorder recorder = new Recorder();
    to.subscribe(channel, recorder);
    recorder.awaitSigns("+");
    return recorder;
  }

  @Test
  @Rule("B11")
  @DisplayName("B11: onSubscribed comes once and first, and after it every message arrives")
  void afterOnSubscribedMessagesArrive() {
    for (int i = 0; i < 20; i++) {
      String channel = name("channel" + i);
      Recorder recorder = subscribed(backend, channel);
      publish(backend, channel, "hello");
      recorder.awaitMessage("hello");
      assertEquals(List.of("+", "hello"), recorder.events());
    }
  }

  @Test
  @Rule("B12")
  @DisplayName("B12: an error that a listener throws keeps no later message from any listener")
  void anErrorOfAListener() {
    String channel = name("channel");
    AtomicBoolean thrown = new AtomicBoolean();
    Recorder recorder =
        new Recorder() {
          @Override
          public void onMessage(String message) {
            super.onMessage(message);
            if (!thrown.getAndSet(true)) {
              throw new Error("a listener threw, as it should");
            }
          }
        };
    backend.subscribe(channel, recorder);
    recorder.awaitSigns("+");
    Recorder other = subscribed(backend, name("other"));

    publish(backend, channel, "first");
    recorder.awaitMessage("first");
    publish(backend, channel, "second");
    publish(backend, name("other"), "third");

    recorder.awaitMessage("second");
    other.awaitMessage("third");
    assertEquals(List.of("+", "first", "second"), recorder.events());
  }

  @Test
  @Rule("B9")
  @DisplayName("B9: channels and messages are UTF-8")
  void messagesAreUtf8() {
    String channel = name("kanal-ä-€-𝄞");
    Recorder recorder = subscribed(backend, channel);
    publish(open(), channel, "grüße € 𝄞 \n");
    recorder.awaitMessage("grüße € 𝄞 \n");
  }

  @Test
  @Rule("B12")
  @DisplayName("B12: messages arrive in the store's order, one thread at a time")
  void messagesArriveInOrder() throws InterruptedException {
    String channel = name("channel");
    Recorder recorder = subscribed(backend, channel);
    LockBackend other = open();
    String source =
        "for i = 1, 25 do redis.call('PUBLISH', ARGV[1], redis.call('INCR', KEYS[1])) end"
            + " return {}";
    ScriptCall call = run(source, List.of(name("n")), channel);
    Crew.run(
        4,
        number -> {
          for (int i = 0; i < 20; i++) {
            (number % 2 == 0 ? backend : other).execute(call);
          }
        });
    recorder.awaitMessage("2000");
    List<String> expected = IntStream.rangeClosed(1, 2_000).mapToObj(String::valueOf).toList();
    assertEquals(expected, recorder.messages());
    assertFalse(recorder.overlapped(), "two threads were in the listener at once");
  }

  @Test
  @Rule("B12")
  @DisplayName("B12: each of many channels gets its own messages and no others")
  void channelsAreApart() {
    List<Recorder> recorders = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Recorder recorder = new Recorder();
      backend.subscribe(name("channel" + i), recorder);
      recorders.add(recorder);
    }
    recorders.forEach(recorder -> recorder.awaitSigns("+"));
    for (int i = 0; i < 50; i++) {
      publish(backend, name("channel" + i), "for" + i);
    }
    for (int i = 0; i < 50; i++) {
      recorders.get(i).awaitMessage("for" + i);
      assertEquals(List.of("for" + i), recorders.get(i).messages());
    }
  }

  @Test
  @Rule("B11")
  @DisplayName("B11: two subscriptions of one channel both get its messages, and end separately")
  void twoSubscriptionsOfOneChannel() {
    String channel = name("channel");
    Recorder first = subscribed(backend, channel);
    Recorder second = new Recorder();
    Subscription closing = backend.subscribe(channel, second);
    second.awaitSigns("+");
    publish(backend, channel, "both");
    first.awaitMessage("both");
    second.awaitMessage("both");
    closing.close();
    publish(backend, channel, "one");
    first.awaitMessage("one");
    assertEquals(List.of("both"), second.messages());
    assertEquals(List.of("both", "one"), first.messages());
  }

  @Test
  @Rule({"B5", "B12"})
  @DisplayName("B5: a listener may answer a message by a call, whose reply arrives")
  void aListenerMaySendACall() {
    String channel = name("channel");
    CompletableFuture<List<Object>> reply = new CompletableFuture<>();
    Recorder recorder =
        new Recorder() {
          @Override
          public void onMessage(String message) {
            CompletableFuture<?> unused =
                backend.executeAsync(echo(message)).thenAccept(reply::complete);
            super.onMessage(message);
          }
        };
    backend.subscribe(channel, recorder);
    recorder.awaitSigns("+");
    publish(backend, channel, "question");
    assertEquals(List.of("question"), Way.await(reply));
    publish(backend, channel, "more");
    recorder.awaitMessage("more");
  }

  @Test
  @Rule("B14")
  @DisplayName("B14: PUBLISH in a script answers how many subscribers there are")
  void publishCountsSubscribers() {
    assumeTrue(backend.info().publishCounts(), "the backend reports that PUBLISH does not count");
    String channel = name("channel");
    assertEquals(0L, publish(backend, channel, "to nobody"));
    Recorder recorder = new Recorder();
    Subscription subscription = backend.subscribe(channel, recorder);
    recorder.awaitSigns("+");
    assertEquals(1L, publish(backend, channel, "to one"));
    LockBackend other = open();
    subscribed(other, channel);
    assertEquals(2L, publish(backend, channel, "to both"));
    subscription.close();
    Await.until("one subscriber left", () -> publish(backend, channel, "?").equals(1L));
    other.close();
    Await.until("no subscriber left", () -> publish(backend, channel, "?").equals(0L));
  }

  @Test
  @Rule("B15")
  @DisplayName("B15: after close() of a subscription has returned no listener call begins")
  void afterCloseNothingArrives() throws InterruptedException {
    String channel = name("channel");
    ScriptCall burst =
        run("for i = 1, 50 do redis.call('PUBLISH', ARGV[1], i) end return {}", List.of(), channel);
    for (int round = 0; round < 10; round++) {
      Recorder recorder = new Recorder();
      Subscription subscription = backend.subscribe(channel, recorder);
      recorder.awaitSigns("+");
      Crew publishers = Crew.start(ThreadKind.PLATFORM, 2, n -> repeat(20, burst));
      Await.until("some messages", () -> !recorder.messages().isEmpty());
      subscription.close();
      // A call that began earlier may still run.
      List<String> seen = settled(recorder);
      publishers.join(Await.patience());
      Recorder witness = subscribed(backend, name("witness" + round));
      publish(backend, name("witness" + round), "last");
      witness.awaitMessage("last");
      assertEquals(seen, recorder.events());
    }
  }

  private void repeat(int times, ScriptCall call) {
    for (int i = 0; i < times; i++) {
      backend.execute(call);
    }
  }

  private static List<String> settled(Recorder recorder) {
    Await.until("no listener call runs", () -> !recorder.isBusy());
    return recorder.events();
  }

  @Test
  @Rule("B15")
  @DisplayName("B15: a listener may close its own subscription, and closing twice is closing once")
  void aListenerMayCloseItsOwnSubscription() {
    String channel = name("channel");
    AtomicReference<Subscription> own = new AtomicReference<>(() -> {});
    Recorder recorder =
        new Recorder() {
          @Override
          public void onMessage(String message) {
            own.get().close();
            super.onMessage(message);
          }
        };
    own.set(backend.subscribe(channel, recorder));
    recorder.awaitSigns("+");
    publish(backend, channel, "last");
    recorder.awaitMessage("last");
    own.get().close();
    Recorder next = subscribed(backend, channel);
    publish(backend, channel, "more");
    next.awaitMessage("more");
    assertEquals(List.of("last"), recorder.messages());
  }

  @Test
  @Rule("B15")
  @DisplayName("B15: a closed subscription is forgotten: neither listeners nor channels pile up")
  void aClosedSubscriptionIsForgotten() {
    int rounds = 100;
    Recorder staying = subscribed(backend, name("shared"));
    List<WeakReference<Recorder>> left = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      left.add(visit(name("shared")));
      left.add(visit(name("own" + i)));
    }
    publish(backend, name("shared"), "last");
    staying.awaitMessage("last");
    assertEquals(List.of("+", "last"), staying.events());
    // The last ones may still be referenced somewhere.
    Await.until("listeners are garbage", () -> remaining(left) <= 4);
    if (backend.info().publishCounts()) {
      for (int i = 0; i < rounds; i++) {
        String channel = name("own" + i);
        Await.until("the channel is unsubscribed", () -> publish(backend, channel, "?").equals(0L));
      }
    }
  }

  private WeakReference<Recorder> visit(String channel) {
    Recorder recorder = new Recorder();
    Subscription subscription = backend.subscribe(channel, recorder);
    recorder.awaitSigns("+");
    subscription.close();
    return new WeakReference<>(recorder);
  }

  private static long remaining(List<WeakReference<Recorder>> left) {
    System.gc();
    return left.stream().filter(each -> each.get() != null).count();
  }

  @Test
  @Rule({"B11", "B15"})
  @DisplayName("B11: a channel closed and subscribed again at once is subscribed")
  void leavingAndJoiningAgain() {
    String channel = name("channel");
    for (int i = 0; i < 50; i++) {
      Recorder recorder = new Recorder();
      Subscription subscription = backend.subscribe(channel, recorder);
      recorder.awaitSigns("+");
      publish(backend, channel, "m" + i);
      recorder.awaitMessage("m" + i);
      subscription.close();
    }
    for (int i = 0; i < 50; i++) {
      backend.subscribe(channel, new Recorder()).close();
    }
    Recorder last = subscribed(backend, channel);
    publish(backend, channel, "end");
    last.awaitMessage("end");
  }
}
