package io.mortise.backend.inmemory;

import io.mortise.LockService;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The link of one process to the store. While it fails, some commands are lost, late or doubled,
 * some replies are lost or slow, and some messages are lost, late or doubled.
 */
final class SimulatedLink {
  private static final int LATEST = 5_000;

  /** Less than a command may take. */
  private static final int SLOWEST = 900;

  private enum Fault {
    REFUSED,
    REQUEST_LOST,
    REQUEST_LATE,
    REQUEST_DOUBLED,
    REPLY_LOST,
    REPLY_SLOW,
    NONE
  }

  private static final List<Fault> FAULTS =
      List.copyOf(EnumSet.complementOf(EnumSet.of(Fault.NONE)));

  private final InMemoryStore store;
  private final Random random;
  private final Map<String, String> held = new ConcurrentHashMap<>();
  private volatile boolean failing;

  SimulatedLink(InMemoryStore store, long seed) {
    this.store = store;
    random = new Random(seed);
  }

  boolean isFailing() {
    return failing;
  }

  void fails(boolean some) {
    failing = some;
  }

  int copiesOfMessage() {
    return failing ? List.of(0, 1, 1, 1, 2).get(random.nextInt(5)) : 1;
  }

  /** A message comes: now or later. */
  void deliver(Runnable message) {
    if (failing && random.nextInt(4) == 0) {
      Timer unused = store.time().schedule(message, upTo(LATEST));
    } else {
      message.run();
    }
  }

  /** Runs the command on a thread that a slow reply may block. */
  List<Object> execute(LockBackend client, ScriptCall call) {
    Fault fault = fault();
    List<Object> reply = send(client, call, fault);
    if (fault == Fault.REPLY_SLOW) {
      store.time().parkNanos(this, upTo(SLOWEST).toNanos());
    }
    return reply;
  }

  CompletableFuture<List<Object>> executeAsync(LockBackend client, ScriptCall call) {
    CompletableFuture<List<Object>> future = new CompletableFuture<>();
    Fault fault = fault();
    try {
      List<Object> reply = send(client, call, fault);
      if (fault == Fault.REPLY_SLOW) {
        Timer unused = store.time().schedule(() -> future.complete(reply), upTo(SLOWEST));
      } else {
        future.complete(reply);
      }
    } catch (BackendException e) {
      future.completeExceptionally(e);
    }
    return future;
  }

  private Fault fault() {
    int chance = failing ? random.nextInt(20) : FAULTS.size();
    return chance < FAULTS.size() ? FAULTS.get(chance) : Fault.NONE;
  }

  private List<Object> send(LockBackend client, ScriptCall call, Fault fault) {
    if (fault == Fault.REQUEST_LATE || fault == Fault.REQUEST_DOUBLED) {
      Timer unused = store.time().schedule(() -> arrive(client, call), upTo(LATEST));
    }
    switch (fault) {
      case REFUSED -> throw failure(Outcome.NOT_EXECUTED);
      case REQUEST_LOST, REQUEST_LATE -> throw failure(Outcome.UNKNOWN);
      default -> {}
    }
    List<Object> reply = client.execute(call);
    if (fault == Fault.REPLY_LOST) {
      throw failure(Outcome.UNKNOWN);
    }
    String lock = call.keys().get(0);
    if (call.script().name().equals("acquire") && reply.get(0) instanceof Long) {
      holds(call.args().get(0), lock);
    } else if (call.script().name().equals("leave")) {
      reply.stream().skip(2).forEach(named -> holds((String) named, lock));
    }
    return reply;
  }

  /** Notes a message on which a waiter may start. */
  void hears(String message) {
    String[] parts = message.split("\\|", 3);
    if (parts[0].startsWith("grant")) {
      holds(parts[1], parts[2]);
    }
  }

  private void holds(String id, String lock) {
    String[] parts = id.split(":", -1);
    held.put(parts[0] + (id.endsWith(":n") ? parts[2] : "") + lock, id);
  }

  /** The id of the calling thread's hold. */
  @Nullable String idOf(LockService client, String name, boolean fair) {
    String thread = fair ? Long.toString(Thread.currentThread().getId()) : "";
    return held.get(client.clientId() + thread + SimulatedOperator.key("lock", name));
  }

  private Duration upTo(int millis) {
    return Duration.ofMillis(1 + random.nextInt(millis));
  }

  private static void arrive(LockBackend client, ScriptCall call) {
    try {
      List<Object> unused = client.execute(call);
    } catch (BackendException e) {
      // The client was closed meanwhile.
    }
  }

  private static BackendException failure(Outcome outcome) {
    return new BackendException(outcome, "the simulation broke the link", null);
  }
}
