package io.mortise.backend.vertx;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisSettings;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendConfig;
import io.vertx.redis.client.RedisConnection;
import java.time.Duration;
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
  private final Link link = link();
  private volatile boolean endsAtOnce;

  private Link link() {
    BackendConfig config =
        new BackendConfig(proxy.uri(), Duration.ofSeconds(9), "link test", Map.of());
    return new Link(
        loop, new Connector(RedisSettings.of(config), RedisAddress.of(proxy.uri())), null, this);
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
      task.run();
      ran.complete(true);
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
      var unused = link.close();
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
}
