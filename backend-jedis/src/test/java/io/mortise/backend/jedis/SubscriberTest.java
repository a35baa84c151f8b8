package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertTook;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.await;
import static io.mortise.backend.jedis.Fixture.count;
import static io.mortise.backend.jedis.Fixture.echo;
import static io.mortise.backend.jedis.Fixture.open;
import static io.mortise.backend.jedis.Fixture.runsThread;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages under failing links and restricted users. */
class SubscriberTest {
  @Test
  @DisplayName("B11: a refused channel hears of it, is tried again, and does not disturb others")
  void aRefusedChannel() {
    try (RedisServer server =
            RedisServer.builder()
                .arguments("--user", "some", "on", ">word", "~*", "&allowed", "+@all")
                .start();
        LockBackend backend = open(server.uri("some:word"))) {
      Recorder refused = new Recorder();
      Recorder allowed = new Recorder();
      backend.subscribe("refused", refused);
      backend.subscribe("allowed", allowed);
      refused.await(1);
      await("the other is subscribed", () -> allowed.events.contains("+"));
      assertTrue(refused.events.get(0).startsWith("-NOPERM "), refused.events::toString);
      assertEquals(1L, server.command("PUBLISH", "allowed", "hello"));
      await("the other gets the message", () -> allowed.events.contains("hello"));
      server.command("ACL", "SETUSER", "some", "&refused");
      refused.await(2);
      assertEquals("+", refused.events.get(1));
      assertEquals(2, refused.events.size(), refused.events::toString);
    }
  }

  @Test
  @DisplayName("B13: a link that has gone silent is found within seconds")
  void aSilentLink() throws Throwable {
    try (RedisServer server = RedisServer.start();
        TcpProxy proxy = TcpProxy.to(server);
        LockBackend backend = open(proxy.uri())) {
      Recorder recorder = new Recorder();
      backend.subscribe("channel", recorder);
      recorder.await(1);
      proxy.stall();
      assertTook(Duration.ofSeconds(8), () -> recorder.await(2));
      proxy.cut();
      proxy.resume();
      recorder.await(3);
    }
  }

  @Test
  @DisplayName("B1: after a noticed restart no call uses a dead connection")
  void noCallGoesToADeadConnection() {
    try (RedisServer server = RedisServer.start();
        LockBackend backend = open(server.uri())) {
      Recorder recorder = new Recorder();
      backend.subscribe("channel", recorder);
      recorder.await(1);
      for (int round = 0; round < 3; round++) {
        List<CompletableFuture<List<Object>>> many = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
          many.add(backend.executeAsync(echo("x", Fixture.TIMEOUT)));
        }
        many.forEach(CompletableFuture::join);
        server.restart();
        recorder.await(2 * round + 3);
        for (int i = 0; i < 10; i++) {
          assertWorks(backend);
        }
      }
    }
  }

  @Test
  @DisplayName("B12: all listeners of a channel get its messages; the last close unsubscribes")
  void severalListenersOfOneChannel() {
    try (RedisServer server = RedisServer.start();
        LockBackend backend = open(server.uri())) {
      Recorder other = new Recorder();
      backend.subscribe("other", other);
      Recorder first = new Recorder();
      Recorder second = new Recorder();
      Subscription leaving = backend.subscribe("channel", first);
      Subscription staying = backend.subscribe("channel", second);
      first.await(1);
      second.await(1);
      assertEquals(1L, server.command("PUBLISH", "channel", "one"));
      first.await(2);
      second.await(2);
      leaving.close();
      leaving.close();
      assertEquals(1L, server.command("PUBLISH", "channel", "two"));
      second.await(3);
      staying.close();
      await(
          "the channel has no listener",
          () -> Long.valueOf(0).equals(server.command("PUBLISH", "channel", "three")));
      assertEquals(List.of("+", "one"), first.events);
      assertEquals(List.of("+", "one", "two"), second.events);
      assertEquals(1L, server.command("PUBLISH", "other", "still"));
    }
  }

  @Test
  @DisplayName("B19: the threads end with the last subscription, and come back with the next")
  void threadsEndWithTheLastSubscription() {
    try (RedisServer server = RedisServer.start();
        LockBackend backend = open(server.uri())) {
      for (int i = 0; i < 2; i++) {
        Recorder recorder = new Recorder();
        Subscription subscription = backend.subscribe("channel", recorder);
        recorder.await(1);
        assertTrue(runsThread("mortise-jedis-reader"));
        subscription.close();
        await("the reader has ended", () -> !runsThread("mortise-jedis-reader"));
        await("the writer has ended", () -> !runsThread("mortise-jedis-writer"));
      }
    }
  }

  @Test
  @DisplayName("B12: a listener that throws, or closes its own subscription, disturbs no other")
  void aListenerThatMisbehaves() {
    try (RedisServer server = RedisServer.start();
        LockBackend backend = open(server.uri())) {
      Recorder recorder = new Recorder();
      CompletableFuture<Subscription> own = new CompletableFuture<>();
      own.complete(
          backend.subscribe(
              "channel",
              new ChannelListener() {
                @Override
                public void onSubscribed() {
                  throw new IllegalStateException("on purpose");
                }

                @Override
                public void onMessage(String message) {
                  own.join().close();
                  recorder.onMessage(message);
                }

                @Override
                public void onInterrupted(Throwable cause) {
                  recorder.onInterrupted(cause);
                }
              }));
      Recorder other = new Recorder();
      backend.subscribe("channel", other);
      other.await(1);
      server.command("PUBLISH", "channel", "one");
      server.command("PUBLISH", "channel", "two");
      other.await(3);
      assertEquals(List.of("+", "one", "two"), other.events);
      assertEquals(List.of("one"), recorder.events);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 200})
  @DisplayName("B14: messages connect again when a replica is met, and when a call works again")
  void messagesFollowCalls(int millis) {
    try (RedisServer server = RedisServer.start();
        TcpProxy proxy = TcpProxy.to(server)) {
      proxy.delay(TcpProxy.Direction.REPLIES, Duration.ofMillis(millis));
      try (LockBackend backend = open(proxy.uri())) {
        Recorder recorder = new Recorder();
        backend.subscribe("channel", recorder);
        recorder.await(1);
        server.command("REPLICAOF", "127.0.0.1", "1");
        assertFails(Outcome.NOT_EXECUTED, () -> backend.execute(count("k", Fixture.TIMEOUT)));
        recorder.await(3);
        server.command("REPLICAOF", "NO", "ONE");
        assertEquals(List.of(1L), backend.execute(count("k", Fixture.TIMEOUT)));
        recorder.await(5);
        assertEquals("+", recorder.events.get(4), recorder.events::toString);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("B11: a subscription made while the last one closes gets messages")
  void joiningWhileTheLastLeaves(boolean others) {
    Random random = new Random(4711);
    try (RedisServer server = RedisServer.start();
        LockBackend backend = open(server.uri())) {
      if (others) {
        backend.subscribe("other", new Recorder());
      }
      for (int round = 0; round < 150; round++) {
        for (int i = 0; i < 20; i++) {
          Subscription leaving = backend.subscribe("channel", new Recorder());
          LockSupport.parkNanos(random.nextInt(3) == 0 ? random.nextInt(2_000_000) : 0);
          leaving.close();
        }
        Recorder last = new Recorder();
        Subscription staying = backend.subscribe("channel", last);
        last.await(1);
        server.command("PUBLISH", "channel", "hello");
        last.await(2);
        assertEquals(List.of("+", "hello"), last.events);
        staying.close();
      }
    }
  }
}
