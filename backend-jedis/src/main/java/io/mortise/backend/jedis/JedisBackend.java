package io.mortise.backend.jedis;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

/**
 * Runs scripts on one Redis server through a Jedis client.
 *
 * <p>{@link #execute} works on the caller's thread, with two exceptions, in which a thread of the
 * backend works while the caller waits: when a connection must be made first, for which Jedis knows
 * no deadline, and when the caller is a virtual thread, whose interrupt would close the socket. A
 * call's deadline covers the wait for a pooled connection, connecting and the wait for bytes of the
 * reply. It does not cover the writing of hundreds of kilobytes, nor a pool that is set to test its
 * connections when it lends them.
 *
 * <p>Messages come over one connection of their own, made with the client's settings and not
 * counted by its pool. When the server closes that one or another, the pool's idle connections are
 * closed as well, since a script sent to a dead connection has an unknown outcome.
 */
public final class JedisBackend implements LockBackend {
  private static final int WORKERS = 8;

  private final BackendInfo info;
  private final Runnable end;
  private final Calls calls;
  private final Subscriber subscriber;
  private final Set<Attempt> waiting = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor workers;

  private JedisBackend(ConnectionPool pool, @Nullable String endpoint, Runnable end) {
    this.end = end;
    LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    workers =
        new ThreadPoolExecutor(WORKERS, WORKERS, 5, TimeUnit.SECONDS, queue, daemons("worker"));
    workers.allowCoreThreadTimeOut(true);
    calls = new Calls(pool, workers);
    info = Greeting.exchange(calls, endpoint);
    subscriber = new Subscriber(pool);
  }

  /**
   * Uses the caller's client, which stays the caller's: {@link #close} does not close it. Every
   * call takes a connection of its pool for one round trip. Its key prefix is not applied, and its
   * command executor not used: that might send a script twice.
   *
   * @param client a {@link RedisClient} of one server, with a pool
   * @return an open backend
   * @throws IllegalArgumentException the client is another one: clusters, sentinels and multiple
   *     databases are not supported yet, and from a client that hides its pool no deadline can be
   *     had
   * @throws BackendException the server cannot be reached, or is refused
   */
  public static JedisBackend of(UnifiedJedis client) {
    return open(client, null, () -> {});
  }

  static JedisBackend open(UnifiedJedis client, @Nullable String endpoint, Runnable end) {
    try {
      return new JedisBackend((ConnectionPool) ((RedisClient) client).getPool(), endpoint, end);
    } catch (ClassCastException e) {
      throw new IllegalArgumentException(
          client.getClass().getName()
              + " is not supported yet: only RedisClient, of one server and with a pool",
          e);
    }
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    if (isVirtual() || !calls.atHand()) {
      return await(executeAsync(call));
    }
    Attempt attempt = new Attempt(call, info.endpoint());
    calls.run(List.of(attempt));
    return await(attempt.reply);
  }

  /** By the thread group all of them share: Java 17 knows no other sign. */
  private static boolean isVirtual() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    return group != null && "VirtualThreads".equals(group.getName());
  }

  /** Not ended by an interrupt, which stays set. */
  private static List<Object> await(CompletableFuture<List<Object>> reply) {
    try {
      return reply.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof BackendException failure) {
        throw failure;
      }
      throw e;
    }
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return executeAll(List.of(call)).get(0);
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> batch) {
    List<Attempt> attempts =
        batch.stream().map(call -> new Attempt(call, info.endpoint())).toList();
    attempts.forEach(this::limit);
    workers.execute(() -> calls.run(attempts));
    return attempts.stream().map(attempt -> attempt.reply).toList();
  }

  /** Ends it when its time is over, wherever it is, or when the backend is closed. */
  private void limit(Attempt attempt) {
    TimeoutException late = new TimeoutException("its time is over");
    TimeSource.Timer timer = time().schedule(() -> attempt.fail(late), attempt.call.timeout());
    waiting.add(attempt);
    CompletableFuture<?> unused =
        attempt.reply.whenComplete((reply, failure) -> {
          timer.close();
          waiting.remove(attempt);
        });
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    calls.requireOpen();
    return subscriber.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  @Override
  public void close() {
    calls.close();
    waiting.forEach(attempt -> attempt.fail(new CancellationException("the backend was closed")));
    subscriber.close();
    end.run();
  }

  @Override
  public String toString() {
    return "JedisBackend[" + info.endpoint() + ", Redis " + info.serverVersion() + ']';
  }

  static ThreadFactory daemons(String role) {
    return task -> {
      Thread thread = new Thread(task, "mortise-jedis-" + role);
      thread.setDaemon(true);
      return thread;
    };
  }
}
