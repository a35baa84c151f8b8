package io.mortise.backend.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.AsyncCloseable;
import io.lettuce.core.codec.StringCodec;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes two connections a backend, or says why not and leaves nothing open. */
final class Opening {
  private Opening() {}

  /** {@code shutdown} ends the client with the backend; none leaves it open. */
  static LettuceBackend open(
      RedisClient client, RedisURI uri, @Nullable Supplier<CompletableFuture<?>> shutdown) {
    var calls = client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
    var channels = calls.thenCompose(c -> client.connectPubSubAsync(StringCodec.UTF8, uri));
    Supplier<CompletableFuture<?>> disconnect =
        () ->
            CompletableFuture.allOf(
                calls.thenCompose(AsyncCloseable::closeAsync),
                channels.thenCompose(AsyncCloseable::closeAsync));
    Supplier<CompletableFuture<?>> end = shutdown == null ? disconnect : shutdown;
    try {
      return new LettuceBackend(uri, calls.join(), channels.join(), end);
    } catch (RuntimeException e) {
      settle(end.get());
      throw refusal(uri, e);
    }
  }

  private static BackendException refusal(RedisURI uri, Throwable e) {
    Throwable reason = e;
    while (reason.getCause() != null) {
      reason = reason.getCause();
    }
    String advice = "; check host, port, TLS (rediss:), user, password and database";
    String message = endpoint(uri) + ": cannot open: " + reason.getMessage() + advice;
    return new BackendException(Outcome.NOT_EXECUTED, message, e);
  }

  static String endpoint(RedisURI uri) {
    String place = uri.getSocket() == null ? uri.getHost() + ':' + uri.getPort() : uri.getSocket();
    return (uri.isSsl() ? "rediss://" : "redis://") + place + '/' + uri.getDatabase();
  }

  /** Refuses a server on which locks would not be safe. */
  static BackendInfo check(String endpoint, List<Object> hello) {
    String version = fact(hello, "version");
    String kind = fact(hello, "mode") + ' ' + fact(hello, "role");
    if (version.matches("([0-5]|6\\.[01])\\..*") || !kind.equals("standalone master")) {
      throw new IllegalStateException(
          "Redis " + version + ' ' + kind + " found, 6.2 or later and a standalone master needed");
    }
    return new BackendInfo(endpoint, version, true, true);
  }

  private static String fact(List<Object> hello, String name) {
    return String.valueOf(hello.get(hello.indexOf(name) + 1));
  }

  /** Waits for an end, but not for long, and whatever comes of it. */
  static void settle(CompletableFuture<?> end) {
    end.completeOnTimeout(null, 2, TimeUnit.SECONDS).exceptionally(e -> null).join();
  }
}
