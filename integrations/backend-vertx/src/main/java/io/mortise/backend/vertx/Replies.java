package io.mortise.backend.vertx;

import io.mortise.backend.support.RedisServers;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads what Vert.x has received. */
final class Replies {
  private Replies() {}

  /** A reply as the contract wants it: integers, strings and lists. */
  static @Nullable Object value(@Nullable Response reply) {
    if (reply == null) {
      return null;
    }
    return switch (reply.type()) {
      case NUMBER -> reply.toLong();
      case MULTI, PUSH -> list(reply);
      case ERROR -> ((Throwable) reply).getMessage();
      case BULK -> reply.toString(StandardCharsets.UTF_8);
      default -> reply.toString();
    };
  }

  private static List<@Nullable Object> list(Response reply) {
    List<@Nullable Object> values = new ArrayList<>(reply.size());
    for (int i = 0; i < reply.size(); i++) {
      values.add(value(reply.get(i)));
    }
    return values;
  }

  /** What the server said, or null if Vert.x made up the failure, as for a lost connection. */
  static @Nullable String error(Throwable failure) {
    String text = String.valueOf(failure.getMessage());
    boolean isReply = failure instanceof Response reply && reply.type() == ResponseType.ERROR;
    return isReply && !text.matches("(?s)(CONNECTION_CLOSED|ILLEGAL_STATE).*") ? text : null;
  }

  /** What a server says about itself. */
  static CompletableFuture<Map<String, ?>> facts(RedisConnection connection) {
    Future<Map<String, ?>> facts =
        connection
            .send(Request.cmd(Command.HELLO))
            .<Map<String, ?>>map(Replies::facts)
            .recover(e ->
                RedisServers.isWithoutHello(e)
                    ? connection
                        .send(Request.cmd(Command.INFO))
                        .map(text -> RedisServers.facts(String.valueOf(text)))
                    : Future.failedFuture(e));
    return facts.toCompletionStage().toCompletableFuture();
  }

  private static Map<String, ?> facts(@Nullable Response hello) {
    return hello == null
        ? Map.of()
        : hello.getKeys().stream()
            .collect(Collectors.toMap(key -> key, key -> String.valueOf(value(hello.get(key)))));
  }
}
