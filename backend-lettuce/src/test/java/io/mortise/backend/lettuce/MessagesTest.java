package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Messages, and gaps between them. */
final class MessagesTest {
  private final RedisServer server = RedisServer.start();
  private final TcpProxy proxy = TcpProxy.to(server);
  private LockBackend backend = Fixture.open(proxy.uri());
  private final Recorder recorder = new Recorder();

  @AfterEach
  void close() {
    backend.close();
    proxy.close();
    server.close();
  }

  private void publish(String channel, String message) {
    server.command("PUBLISH", channel, message);
  }

  private long subscribers(String channel) {
    return server.command("PUBSUB", "NUMSUB", channel) instanceof List<?> reply
            && reply.get(1) instanceof Long count
        ? count
        : -1;
  }

  @Test
  @DisplayName("B11, B12, B9: the confirmation comes first, then every message in order")
  void messagesComeInOrderAfterTheConfirmation() {
    backend.subscribe("ch:ä", recorder);
    recorder.await("subscribed");
    IntStream.range(0, 1000).forEach(i -> publish("ch:ä", "größe " + i));
    recorder.await("größe 999");

    List<String> expected =
        IntStream.range(0, 1000)
            .mapToObj(i -> "größe " + i)
            .collect(java.util.stream.Collectors.toList());
    expected.add(0, "subscribed");
    assertEquals(expected, recorder.events());
    assertEquals(1, recorder.mostAtOnce());
  }

  @Test
  @DisplayName("B11: the loss of a connection is reported once, and then its end")
  void aLostConnectionIsReportedOnce() {
    backend.subscribe("ch", recorder);
    recorder.await("subscribed");
    proxy.refuse();
    proxy.cut();
    recorder.await("interrupted");
    Fixture.await("some attempts fail", () -> recorder.lasted(Duration.ofSeconds(3)));
    proxy.resume();
    recorder.await("subscribed", 2);
    publish("ch", "after");
    recorder.await("after");

    assertEquals(List.of("subscribed", "interrupted", "subscribed", "after"), recorder.events());
  }

  @Test
  @DisplayName(
      "B11: a subscription made while the server is down hears of it, and is confirmed later")
  void aSubscriptionDuringAnOutageIsConfirmedLater() {
    proxy.refuse();
    proxy.cut();
    Fixture.await("the loss is noticed", () -> lost(backend));
    backend.subscribe("ch", recorder);
    recorder.await("interrupted");
    proxy.resume();
    recorder.await("subscribed");

    assertEquals(List.of("interrupted", "subscribed"), recorder.events());
  }

  private static boolean lost(LockBackend backend) {
    return Fixture.failure(() -> backend.execute(Fixture.echo("k", "v"))).outcome()
        == io.mortise.spi.BackendException.Outcome.NOT_EXECUTED;
  }

  @Test
  @DisplayName(
      "B11: a refused subscription is reported once with the server's error, and tried again")
  void aRefusedSubscriptionIsTriedAgain() {
    server.command("ACL", "SETUSER", "bob", "on", ">pw", "~*", "+@all", "resetchannels");
    try (LockBackend bobs = Fixture.open(server.uri("bob:pw"))) {
      bobs.subscribe("ch", recorder);
      recorder.await("interrupted");
      Fixture.await("it is tried again", () -> denials() > 1);
      assertEquals(List.of("interrupted"), recorder.events());
      String why = String.valueOf(recorder.causes().get(0).getMessage());
      assertTrue(why.startsWith("NOPERM "), why); // then the words of the server's version
      server.command("ACL", "SETUSER", "bob", "&ch");
      recorder.await("subscribed");
      publish("ch", "now");
      recorder.await("now");
    }
  }

  /** How often the ACL has refused bob. The log counts his entries of one kind together. */
  private int denials() {
    return server.command("ACL", "LOG") instanceof List<?> log
            && !log.isEmpty()
            && log.get(0) instanceof List<?> entry
        ? Integer.parseInt(String.valueOf(entry.get(1)))
        : 0;
  }

  @Test
  @DisplayName(
      "B13: a subscription whose peer is silently gone is found within seconds, whatever the protocol")
  void aSilentLinkIsFound() {
    ClientOptions plain = ClientOptions.create();
    TimeoutOptions shortLimit = TimeoutOptions.enabled(Duration.ofMillis(200));
    List<Listening> all =
        List.of(
            new Listening(plain.mutate().protocolVersion(ProtocolVersion.RESP2).build()),
            new Listening(plain.mutate().protocolVersion(ProtocolVersion.RESP3).build()),
            new Listening(plain.mutate().timeoutOptions(shortLimit).build()));
    all.forEach(each -> each.recorder.await("subscribed"));
    Recorder last = all.get(2).recorder;
    Fixture.await("no gap during several pings", () -> last.lasted(Duration.ofSeconds(5)));
    all.forEach(each -> assertEquals(List.of("subscribed"), each.recorder.events()));
    long start = System.nanoTime();
    proxy.stall();
    // An idle backend sends no ping until the next call.
    all.forEach(each -> assertFalse(each.backend.executeAsync(Fixture.count("k")).isDone()));
    all.forEach(each -> each.recorder.await("interrupted"));
    assertTrue(Fixture.since(start).compareTo(Duration.ofSeconds(8)) < 0);
    proxy.cut();
    proxy.resume();
    all.forEach(each -> each.recorder.await("subscribed", 2));
    List<String> expected = List.of("subscribed", "interrupted", "subscribed");
    all.forEach(each -> assertEquals(expected, each.recorder.events()));
    all.forEach(Listening::close);
  }

  /** A client through the proxy, with a backend and a listener. */
  private final class Listening implements AutoCloseable {
    final Recorder recorder = new Recorder();
    private final RedisClient client = RedisClient.create();
    private final LockBackend backend;

    Listening(ClientOptions options) {
      client.setOptions(
          options.mutate().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
      RedisURI uri = RedisURI.create(proxy.uri());
      uri.setTimeout(Duration.ofSeconds(1));
      backend = LettuceBackend.of(client, uri);
      backend.subscribe("ch", recorder);
    }

    @Override
    public void close() {
      backend.close();
      client.close();
    }
  }

  @Test
  @DisplayName("B15: after close no listener call begins, and the server has no subscriber")
  void afterCloseNothingComes() {
    Recorder other = new Recorder();
    backend.subscribe("other", other);
    Subscription subscription = backend.subscribe("ch", recorder);
    recorder.await("subscribed");
    publish("ch", "one");
    recorder.await("one");
    subscription.close();
    subscription.close();
    publish("ch", "two");
    publish("other", "two");
    other.await("two");

    assertEquals(List.of("subscribed", "one"), recorder.events());
    Fixture.await("the server has unsubscribed", () -> subscribers("ch") == 0);
  }

  @Test
  @DisplayName(
      "B15: a channel closed while the link is lost does not stay subscribed at the server")
  void aChannelLeftDuringAnOutageIsLeftAfterIt() {
    Recorder other = new Recorder();
    backend.subscribe("other", other);
    Subscription subscription = backend.subscribe("ch", recorder);
    recorder.await("subscribed");
    other.await("subscribed");
    proxy.refuse();
    proxy.cut();
    recorder.await("interrupted");
    subscription.close();
    proxy.resume();
    other.await("subscribed", 2);

    Fixture.await("the server has unsubscribed", () -> subscribers("ch") == 0);
    assertEquals(1, subscribers("other"));
  }

  @Test
  @DisplayName("B15: close waits for a listener call that has begun")
  void closeWaitsForACallThatHasBegun() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    Recorder slow =
        new Recorder() {
          @Override
          public void onMessage(String message) {
            entered.countDown();
            awaitQuietly(leave);
            super.onMessage(message);
          }
        };
    Subscription subscription = backend.subscribe("ch", slow);
    slow.await("subscribed");
    publish("ch", "slow");
    entered.await();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(subscription::close);
    assertTrue(slow.lasted(Duration.ZERO));
    leave.countDown();
    closed.get(20, TimeUnit.SECONDS);

    assertEquals(List.of("subscribed", "slow"), slow.events());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("B15: a listener may close its own subscription")
  void aListenerMayCloseItself() throws Exception {
    CompletableFuture<Subscription> own = new CompletableFuture<>();
    Recorder once =
        new Recorder() {
          @Override
          public void onMessage(String message) {
            super.onMessage(message);
            own.join().close();
          }
        };
    own.complete(backend.subscribe("ch", once));
    once.await("subscribed");
    publish("ch", "one");
    Fixture.await("the server has unsubscribed", () -> subscribers("ch") == 0);
    assertEquals(List.of("subscribed", "one"), once.events());
  }

  @Test
  @DisplayName("Two subscriptions of one channel live and end by themselves")
  void twoSubscriptionsOfOneChannel() {
    Recorder second = new Recorder();
    Subscription first = backend.subscribe("ch", recorder);
    recorder.await("subscribed");
    backend.subscribe("ch", second);
    second.await("subscribed");
    first.close();
    publish("ch", "m");
    second.await("m");

    assertEquals(List.of("subscribed"), recorder.events());
    assertEquals(List.of("subscribed", "m"), second.events());
  }

  @Test
  @DisplayName("A channel closed and subscribed again at once keeps its subscription")
  void aChannelClosedAndSubscribedAnewIsSubscribed() {
    for (int round = 0; round < 200; round++) {
      Recorder next = new Recorder();
      Subscription current = backend.subscribe("ch", next);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(current::close);
      Recorder last = new Recorder();
      Subscription renewed = backend.subscribe("ch", last);
      closing.join();
      Fixture.await(
          "a message comes",
          () -> {
            publish("ch", "m");
            return last.events().contains("m");
          });
      renewed.close();
    }
  }

  @Test
  @DisplayName("B17: closing the backend is no event for listeners")
  void closingIsNoEventForListeners() {
    backend.subscribe("ch", recorder);
    recorder.await("subscribed");
    backend.close();
    Fixture.await("the server has no subscriber", () -> subscribers("ch") == 0);

    assertEquals(List.of("subscribed"), recorder.events());
  }

  @Test
  @DisplayName("B19: one connection for calls and one for messages, however many channels")
  void twoConnectionsServeAll() {
    List<Recorder> recorders = IntStream.range(0, 50).mapToObj(i -> new Recorder()).toList();
    for (int i = 0; i < recorders.size(); i++) {
      backend.subscribe("ch" + i, recorders.get(i));
    }
    recorders.forEach(each -> each.await("subscribed"));

    assertEquals(2, proxy.connections());
  }
}
