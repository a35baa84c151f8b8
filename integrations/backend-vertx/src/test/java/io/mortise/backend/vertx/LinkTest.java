package io.mortise.backend.vertx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.ChangingCredentials.Answer;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisSettings;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A connection that is made again, under attempts that fail or come too late. */
@Tag("ci")
class LinkTest implements Link.User {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  private final TcpProxy proxy = TcpProxy.to(REDIS.server());
  private final Loop loop = Loop.start();
  private final List<String> news = new CopyOnWriteArrayList<>();
  private final Link link = new Link(loop, connector(), null, this);
  private volatile boolean endsAtOnce;
  private volatile boolean lacksThreads;

  private Connector connector() {
    BackendConfig config =
        new BackendConfig(proxy.uri(), Duration.ofSeconds(9), "link test", Map.of());
    return new Connector(RedisSettings.of(config), RedisAddress.of(proxy.uri())) {
      @Override
      CompletableFuture<Answer> credentials() {
        if (lacksThreads) {
          throw new Error("no thread can be made");
        }
        return super.credentials();
      }
    };
  }

  @Override
  public void up(RedisConnection connection) {
    news.add("up");
    if (endsAtOnce) {
      proxy.cut();
    }
  }

  @Override
  public void down(Throwable cause) {
    news.add(String.valueOf(cause.getMessage()));
  }

  private void run(Runnable task) {
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    loop.run(() -> {
      try {
        task.run();
        ran.complete(true);
      } catch (RuntimeException | Error e) {
        ran.completeExceptionally(e);
      }
    });
    assertTrue(Await.value(ran));
  }

  private void awaitLast(String last) {
    Await.until(
        () -> last + " comes after " + news,
        Await.patience(),
        () -> !news.isEmpty() && news.get(news.size() - 1).equals(last));
  }

  @BeforeEach
  void connect() {
    run(() -> {
      CompletableFuture<RedisConnection> unused = link.connect();
    });
    awaitLast("up");
  }

  @AfterEach
  void close() {
    run(() -> {
      Future<Void> unused = link.close();
    });
    loop.close();
    proxy.close();
  }

  @Test
  @DisplayName("B14: an attempt that was under way at a reconnect may lead to the old server")
  void anAttemptUnderWay() {
    proxy.stall();
    proxy.cut();
    Await.until("an attempt waits for the server", () -> proxy.connections() == 1);
    run(() -> link.reconnect("moved"));
    awaitLast("moved");
    proxy.resume();
    awaitLast("up");
  }

  @Test
  @DisplayName("B19: a connection that ends as soon as it is there is not made again at once")
  void aShortLife() {
    endsAtOnce = true;
    proxy.cut();
    LockSupport.parkNanos(Duration.ofSeconds(4).toNanos());
    long made = news.stream().filter("up"::equals).count();
    assertTrue(made < 10, () -> made + " connections in four seconds");
    endsAtOnce = false;
    awaitLast("up");
  }

  @Test
  @DisplayName("B11: an Error in an attempt to connect is not the last attempt")
  void withoutThreads() {
    lacksThreads = true;
    proxy.cut();
    awaitLast("no thread can be made");
    lacksThreads = false;
    awaitLast("up");
  }

  @Test
  @DisplayName("B11: a beat connects if nothing else does any more")
  void aBeatWithoutAnAttempt() {
    Link other = new Link(loop, connector(), null, this);
    int before = news.size();
    run(other::beat);
    run(other::beat);
    Await.until("it is up", () -> news.size() > before);
    assertEquals(2, proxy.connections());
    run(() -> {
      Future<Void> unused = other.close();
    });
  }

  @Test
  @DisplayName("B2: a call that has ended leaves the line while there is no connection")
  void anEndedCall() throws ReflectiveOperationException {
    Calls calls = new Calls(loop, connector(), null, () -> {});
    Field line = Calls.class.getDeclaredField("line");
    line.setAccessible(true);
    Collection<?> waiting = (Collection<?>) line.get(calls);
    PendingCall call =
        new PendingCall(
            new ScriptCall(
                Script.of("one", "return {1}"), List.of("k"), List.of(), Duration.ofSeconds(9)),
            "here");
    run(() -> calls.add(List.of(call)));
    run(() -> assertEquals(1, waiting.size()));
    call.fail(new IllegalStateException("its time is over"));
    run(() -> {
      calls.beat();
      assertEquals(0, waiting.size());
    });
    run(() -> {
      Future<Void> unused = calls.close();
    });
  }
}
