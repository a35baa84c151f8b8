package io.mortise.conformance.sample;

import io.mortise.conformance.redis.RespConnection;
import io.mortise.conformance.redis.RespException;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A pool of plain connections, one thread for each call that is out, and one for messages. */
final class SampleBackend implements LockBackend {
  private final SampleEndpoint endpoint;
  private final BackendInfo info;
  private final SampleMessages messages;
  private final Set<RespConnection> connections = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedDeque<RespConnection> idle = new ConcurrentLinkedDeque<>();
  private final ExecutorService threads =
      Executors.newFixedThreadPool(32, task -> daemon(task, "sample-call"));
  private volatile boolean closed;

  private SampleBackend(SampleEndpoint endpoint, BackendInfo info) {
    this.endpoint = endpoint;
    this.info = info;
    messages = new SampleMessages(endpoint);
  }

  static SampleBackend open(SampleEndpoint endpoint) {
    return new SampleBackend(endpoint, endpoint.check());
  }

  static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Waits in join(), which ignores interrupts and keeps the flag; no socket sees them. */
  @Override
  public List<Object> execute(ScriptCall call) {
    try {
      return executeAsync(call).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof BackendException failure) {
        throw failure;
      }
      throw e;
    }
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    CompletableFuture<List<Object>> future = new CompletableFuture<>();
    long deadline = System.nanoTime() + call.timeout().toNanos();
    try {
      threads.execute(() -> complete(future, call, deadline));
    } catch (RejectedExecutionException e) {
      future.completeExceptionally(failure(Outcome.NOT_EXECUTED, "the backend is closed", e));
    }
    return future;
  }

  private void complete(CompletableFuture<List<Object>> future, ScriptCall call, long deadline) {
    try {
      future.complete(run(call, deadline));
    } catch (BackendException e) {
      future.completeExceptionally(e);
    }
  }

  private List<Object> run(ScriptCall call, long deadline) {
    RespConnection connection = borrow(deadline);
    try {
      List<Object> reply = eval(connection, call, deadline);
      idle.push(connection);
      return reply;
    } catch (RespException e) {
      idle.push(connection);
      throw new BackendException(Outcome.REPLIED, String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      connections.remove(connection);
      connection.close();
      throw failure(Outcome.UNKNOWN, call.script().name() + ": " + e.getMessage(), e);
    }
  }

  private RespConnection borrow(long deadline) {
    RespConnection connection = idle.poll();
    if (connection == null) {
      try {
        connection = endpoint.connect(left(deadline));
      } catch (IOException e) {
        throw failure(Outcome.NOT_EXECUTED, String.valueOf(e.getMessage()), e);
      }
      connections.add(connection);
    }
    if (closed) {
      connection.close();
      throw failure(Outcome.NOT_EXECUTED, "the backend is closed", null);
    }
    return connection;
  }

  private Duration left(long deadline) {
    long nanos = deadline - System.nanoTime();
    if (nanos <= 0) {
      throw failure(Outcome.NOT_EXECUTED, "no connection in time", null);
    }
    return Duration.ofNanos(nanos);
  }

  private List<Object> eval(RespConnection connection, ScriptCall call, long deadline)
      throws IOException {
    connection.timeout(left(deadline));
    try {
      return list(connection.call(words("EVALSHA", call.script().sha1(), call)));
    } catch (RespException e) {
      if (!String.valueOf(e.getMessage()).startsWith("NOSCRIPT")) {
        throw e;
      }
      connection.timeout(left(deadline));
      return list(connection.call(words("EVAL", call.script().source(), call)));
    }
  }

  private static String[] words(String command, String script, ScriptCall call) {
    List<String> words = new ArrayList<>(List.of(command, script));
    words.add(String.valueOf(call.keys().size()));
    words.addAll(call.keys());
    words.addAll(call.args());
    return words.toArray(String[]::new);
  }

  @SuppressWarnings("unchecked") // A script's array holds no nil.
  private static List<Object> list(@Nullable Object reply) throws IOException {
    if (reply instanceof List<?> list) {
      return (List<Object>) list;
    }
    throw new IOException("a script replies with an array, not with " + reply);
  }

  private BackendException failure(Outcome outcome, String what, @Nullable Throwable cause) {
    return new BackendException(outcome, info.endpoint() + ": " + what, cause);
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    if (closed) {
      throw failure(Outcome.NOT_EXECUTED, "the backend is closed", null);
    }
    return messages.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  @Override
  public void close() {
    closed = true;
    threads.shutdown();
    connections.forEach(RespConnection::close);
    messages.close();
  }

  @Override
  public String toString() {
    return "SampleBackend[" + info.endpoint() + ']';
  }
}
