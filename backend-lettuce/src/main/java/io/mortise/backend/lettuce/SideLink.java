package io.mortise.backend.lettuce;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection for calls with a command before them: no command of another send comes between. It
 * is opened at the first send. Thread-safe.
 */
final class SideLink {
  private final Supplier<? extends CompletionStage<StatefulRedisConnection<String, String>>> open;
  private final Consumer<StatefulRedisConnection<String, String>> opened;
  private final ReentrantLock turn = new ReentrantLock();
  private @Nullable CompletableFuture<StatefulRedisConnection<String, String>> connection;

  SideLink(
      Supplier<? extends CompletionStage<StatefulRedisConnection<String, String>>> open,
      Consumer<StatefulRedisConnection<String, String>> opened) {
    this.open = open;
    this.opened = opened;
  }

  /**
   * Sends the call and the command before it, one right after the other. Does not block: the call
   * waits for the connection until its deadline.
   */
  void send(Call call) {
    List<RedisCommand<String, String, ?>> commands = new ArrayList<>();
    call.addTo(commands);
    CompletableFuture<?> unused =
        connection()
            .whenComplete((link, e) -> {
              if (e == null) {
                dispatch(link, commands);
              } else {
                call.completeExceptionally(e);
              }
            });
  }

  /** Lettuce hands each command to the I/O thread by itself, so the turn keeps them together. */
  private void dispatch(
      StatefulRedisConnection<String, String> link,
      List<? extends RedisCommand<String, String, ?>> commands) {
    turn.lock();
    try {
      link.dispatch(commands);
    } finally {
      turn.unlock();
    }
  }

  /** A connection that could not be opened is tried again by the next send. */
  private CompletableFuture<StatefulRedisConnection<String, String>> connection() {
    turn.lock();
    try {
      if (connection == null || connection.isCompletedExceptionally()) {
        connection = open.get().toCompletableFuture();
        CompletableFuture<?> unused = connection.thenAccept(opened);
      }
      return connection;
    } finally {
      turn.unlock();
    }
  }
}
