package io.mortise.backend.inmemory;

import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One of several independent servers, simulated by a key prefix in one store. It fails for all its
 * clients alike.
 */
final class SimulatedNode {
  /** The kinds of failure. */
  enum Fault {
    NONE,
    /** Connections are refused. */
    DOWN,
    /** Commands or their replies are lost. Messages wait. */
    SILENT,
    /** Commands or replies are later than a member may take. */
    LATE
  }

  private static final int LATEST = 600;

  private final InMemoryStore store;
  private final String prefix;
  private final Random random;
  private final LockBackend operator;
  private final LockService alone;
  private @Nullable Lease kept;
  private final Queue<Runnable> keptBack = new ConcurrentLinkedQueue<>();
  private final Queue<ChannelListener> listeners = new ConcurrentLinkedQueue<>();
  private volatile Fault fault = Fault.NONE;
  private volatile long since;
  private volatile boolean mended;

  SimulatedNode(InMemoryStore store, int number, long seed) {
    this.store = store;
    prefix = "mortise:node" + number + ':';
    random = new Random(seed);
    operator = store.backend();
    alone = LockService.builder().backend(operator).keyPrefix(prefix).open();
  }

  String prefix() {
    return prefix;
  }

  Fault fault() {
    return fault;
  }

  /** How long the node has been in its state. */
  Duration inState() {
    return Duration.ofNanos(store.time().nanoTime() - since);
  }

  /** Whether it has failed at this time or later. */
  boolean hasFailedSince(long start) {
    return fault != Fault.NONE || (mended && since - start >= 0);
  }

  void fail(Fault how) {
    fault = how;
    since = store.time().nanoTime();
  }

  void recover() {
    boolean reconnects = fault == Fault.DOWN;
    mended = true;
    fail(Fault.NONE);
    for (Runnable message = keptBack.poll(); message != null; message = keptBack.poll()) {
      message.run();
    }
    if (reconnects) {
      listeners.forEach(ChannelListener::onSubscribed);
    }
  }

  /** Deletes its data. */
  void wipe() {
    Script delete = Script.of("wipe", "return {redis.call('DEL', KEYS[1])}");
    store.keys().stream()
        .filter(key -> key.startsWith(prefix))
        .forEach(key ->
            operator.execute(
                new ScriptCall(delete, List.of(key), List.of(), Duration.ofSeconds(1))));
  }

  /** A client beside all links acquires this member alone, if it is free. */
  void keep(String lock) {
    kept = kept == null ? alone.getLock(lock).async().tryAcquire().join().orElse(null) : kept;
  }

  void giveBackKept() {
    if (kept != null) {
      CompletableFuture<Void> unused = kept.releaseAsync(); // lost if the node lost its data
    }
    kept = null;
  }

  void close() {
    alone.close();
    operator.close();
  }

  private synchronized int random(int below) {
    return random.nextInt(below);
  }

  private static BackendException failure(Outcome outcome) {
    return new BackendException(outcome, "the simulated node failed", null);
  }

  private CompletableFuture<List<Object>> send(LockBackend client, ScriptCall call) {
    CompletableFuture<List<Object>> answer = new CompletableFuture<>();
    Timer unused;
    switch (fault) {
      case NONE -> run(client, call, answer);
      case DOWN -> answer.completeExceptionally(failure(Outcome.NOT_EXECUTED));
      case SILENT -> {
        if (random(2) == 0) {
          run(client, call, new CompletableFuture<>());
        }
        unused =
            store
                .time()
                .schedule(
                    () -> answer.completeExceptionally(failure(Outcome.UNKNOWN)), call.timeout());
      }
      case LATE -> {
        Duration later = Duration.ofMillis(1 + random(LATEST));
        if (random(2) == 0) {
          unused = store.time().schedule(() -> run(client, call, answer), later);
        } else {
          CompletableFuture<List<Object>> early = new CompletableFuture<>();
          run(client, call, early);
          unused = store.time().schedule(() -> copy(early, answer), later);
        }
      }
    }
    return answer;
  }

  private static void run(
      LockBackend client, ScriptCall call, CompletableFuture<List<Object>> answer) {
    try {
      answer.complete(client.execute(call));
    } catch (BackendException e) {
      answer.completeExceptionally(e);
    }
  }

  private static void copy(
      CompletableFuture<List<Object>> early, CompletableFuture<List<Object>> answer) {
    CompletableFuture<List<Object>> unused =
        early.whenComplete((reply, failed) -> {
          if (failed == null) {
            answer.complete(reply);
          } else {
            answer.completeExceptionally(failed);
          }
        });
  }

  private void deliver(Runnable message) {
    if (fault == Fault.NONE || fault == Fault.LATE) {
      message.run();
    } else {
      keptBack.add(message);
    }
  }

  /** A client of this node. */
  LockBackend client() {
    return new Client(store.backend());
  }

  /** A service on a link to this node. Its callbacks run in place. */
  LockService service(LockBackend link, Duration lease) {
    return LockService.builder()
        .backend(link)
        .keyPrefix(prefix)
        .leaseTime(lease)
        .executor(Runnable::run)
        .open();
  }

  private final class Client implements LockBackend {
    private final LockBackend client;

    Client(LockBackend client) {
      this.client = client;
    }

    /** Used only to open a service, because a Redlock's calls do not block. */
    @Override
    public List<Object> execute(ScriptCall call) {
      return client.execute(call);
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return send(client, call);
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      listeners.add(listener);
      return client.subscribe(
          channel,
          new ChannelListener() {
            @Override
            public void onSubscribed() {
              listener.onSubscribed();
            }

            @Override
            public void onInterrupted(Throwable cause) {
              listener.onInterrupted(cause);
            }

            @Override
            public void onMessage(String message) {
              deliver(() -> listener.onMessage(message));
            }
          });
    }

    @Override
    public BackendInfo info() {
      return client.info();
    }

    @Override
    public TimeSource time() {
      return client.time();
    }

    @Override
    public void close() {
      client.close();
    }
  }

  @Override
  public String toString() {
    return prefix + fault + (kept == null ? "" : ", kept");
  }
}
