package io.mortise.backend.sample;

import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Subscriber;
import io.mortise.backend.support.Threads;
import io.mortise.backend.support.Waits;
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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * A backend with a pool of plain connections, one thread for each running call, and two threads for
 * messages.
 */
final class SampleBackend implements LockBackend {
  private static final Duration BEAT = Duration.ofSeconds(1);

  private final SampleEndpoint endpoint;
  private final BackendInfo info;
  private final Subscriber messages;
  private final Set<RespConnection> connections = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedDeque<RespConnection> idle = new ConcurrentLinkedDeque<>();
  private final ScheduledThreadPoolExecutor threads = Threads.daemons("sample-call", 32);
  private volatile boolean closed;

  SampleBackend(SampleEndpoint endpoint) {
    this.endpoint = endpoint;
    info = endpoint.check();
    messages = new Subscriber("sample", this::link, () -> {}, BEAT);
  }

  private SampleLink link() throws IOException {
    return new SampleLink(endpoint.connect(endpoint.timeout()));
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    return Waits.await(executeAsync(call));
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    PendingCall pending = new PendingCall(call, info.endpoint());
    messages.use();
    pending.limit();
    threads.execute(() -> run(pending));
    return pending;
  }

  private void run(PendingCall pending) {
    try {
      if (!pending.isDone()) {
        exchange(borrow(pending), pending);
      }
    } catch (IOException | BackendException e) {
      pending.fail(e);
    }
  }

  private RespConnection borrow(PendingCall pending) throws IOException {
    RespConnection connection = idle.poll();
    if (connection == null) {
      connections.removeIf(RespConnection::isClosed);
      connection = endpoint.connect(Duration.ofMillis(pending.millisLeft()), this::add);
    }
    if (closed) {
      connection.close();
      requireOpen();
    }
    return connection;
  }

  private void add(RespConnection made) {
    connections.add(made);
    if (closed) {
      made.close();
    }
  }

  private void exchange(RespConnection connection, PendingCall pending) throws IOException {
    try {
      connection.timeout(Duration.ofMillis(pending.millisLeft()));
      Object reply = pending.sending() ? connection.call(words(pending)) : List.of();
      idle.push(connection);
      pending.answer(Objects.requireNonNull(reply));
    } catch (RespException e) {
      if (pending.again(e.getMessage())) {
        exchange(connection, pending);
      } else {
        idle.push(connection);
        pending.refuse(e);
      }
    } catch (IOException e) {
      connections.remove(connection);
      connection.close();
      throw e;
    }
  }

  private static String[] words(PendingCall pending) {
    return pending.words().toArray(String[]::new);
  }

  private void requireOpen() {
    if (closed) {
      String message = info.endpoint() + ": the backend is closed";
      throw new BackendException(Outcome.NOT_EXECUTED, message, null);
    }
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    requireOpen();
    return messages.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  @Override
  public void close() {
    closed = true;
    connections.forEach(RespConnection::close);
    List<ScheduledThreadPoolExecutor> ending = new ArrayList<>(messages.close());
    ending.add(threads);
    Threads.end(ending);
  }

  @Override
  public String toString() {
    return "SampleBackend[" + info.endpoint() + ']';
  }
}
