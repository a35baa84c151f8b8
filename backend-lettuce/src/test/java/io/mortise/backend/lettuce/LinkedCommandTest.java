package io.mortise.backend.lettuce;

import static io.mortise.backend.lettuce.Fixture.count;
import static io.mortise.backend.lettuce.Fixture.echo;
import static io.mortise.backend.lettuce.Fixture.failure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.PubSubCommandHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ReplicaAcks;
import io.mortise.spi.ScriptCall;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Links that must end, or must come back, although Lettuce by itself would do otherwise. */
final class LinkedCommandTest {
  private final RedisServer server = RedisServer.start();
  private final RedisURI uri = RedisURI.create(server.uri());

  @AfterEach
  void stop() {
    server.close();
  }

  /** Once, loses what it reads on the link for calls, as if memory was short. */
  private static final class Loss implements NettyCustomizer {
    final AtomicBoolean due = new AtomicBoolean();

    @Override
    public void afterChannelInitialized(Channel channel) {
      channel
          .pipeline()
          .addFirst(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object bytes) {
                  boolean isOfCalls = context.pipeline().get(PubSubCommandHandler.class) == null;
                  if (isOfCalls && due.compareAndSet(true, false)) {
                    ReferenceCountUtil.release(bytes);
                    throw new OutOfMemoryError("as if memory was short");
                  }
                  context.fireChannelRead(bytes);
                }
              });
    }
  }

  @Test
  @DisplayName("B1: after an error on the I/O thread no call gets the reply of another")
  void noCallGetsTheReplyOfAnother() {
    Loss loss = new Loss();
    ClientResources resources = ClientResources.builder().nettyCustomizer(loss).build();
    try (RedisClient client = RedisClient.create(resources);
        LockBackend backend = LettuceBackend.of(client, uri)) {
      for (int round = 0; round < 5; round++) {
        Fixture.await("calls work", () -> isAnswered(backend));
        loss.due.set(true);
        List<CompletableFuture<List<Object>>> calls =
            new ArrayList<>(
                backend.executeAll(
                    IntStream.range(0, 8).mapToObj(i -> echo("k" + i, "v" + i)).toList()));
        calls.add(backend.executeAsync(echo("k8", "v8")));
        int failed = 0;
        for (int i = 0; i < calls.size(); i++) {
          List<Object> reply = replyOrNone(calls.get(i));
          assertTrue(
              reply.isEmpty() || reply.equals(List.of("k" + i, "v" + i)),
              "call " + i + " got " + reply);
          failed += reply.isEmpty() ? 1 : 0;
        }
        assertTrue(failed > 0, "the error has lost a reply");
      }
    } finally {
      resources.shutdown().awaitUninterruptibly();
    }
  }

  private static List<Object> replyOrNone(CompletableFuture<List<Object>> call) {
    try {
      return call.join();
    } catch (CompletionException e) {
      return List.of();
    }
  }

  private static boolean isAnswered(LockBackend backend) {
    try {
      return !backend.execute(echo("a", "b")).isEmpty();
    } catch (BackendException e) {
      return false;
    }
  }

  @Test
  @DisplayName(
      "B17: a closed backend runs nothing, and leaves no connection, on a client that lives")
  void aClosedBackendRunsNothing() throws Exception {
    try (RedisClient client = RedisClient.create();
        var others = client.connect(uri)) {
      LockBackend backend = LettuceBackend.of(client, uri);
      backend.close();
      long before = connections();
      ScriptCall call = count("late").withAcks(new ReplicaAcks(1, Duration.ofMillis(100)));

      assertEquals(Outcome.NOT_EXECUTED, failure(backend.executeAsync(call)).outcome());
      Fixture.await("no connection is left", () -> connections() <= before);
      assertNull(others.sync().get("late"));
    }
  }

  private long connections() {
    return String.valueOf(server.command("CLIENT", "LIST")).lines().count();
  }

  @Test
  @DisplayName("B13: one refused handshake does not end the links of a client that would give up")
  void aRefusedHandshakeIsNoEnd() throws InterruptedException {
    server.command("ACL", "SETUSER", "bob", "on", ">pw", "~*", "&*", "+@all");
    try (RedisClient client = RedisClient.create()) {
      client.setOptions(ClientOptions.builder().suspendReconnectOnProtocolFailure(true).build());
      RedisURI bobs = RedisURI.create(server.uri("bob:pw"));
      try (LockBackend backend = LettuceBackend.of(client, bobs)) {
        assertTrue(isAnswered(backend));
        server.command("ACL", "SETUSER", "bob", "resetpass", ">other");
        server.command("CLIENT", "KILL", "USER", "bob");
        Thread.sleep(1_000); // some handshakes are refused
        server.command("ACL", "SETUSER", "bob", "resetpass", ">pw");
        Fixture.await("calls work again", () -> isAnswered(backend));
      }
    }
  }
}
