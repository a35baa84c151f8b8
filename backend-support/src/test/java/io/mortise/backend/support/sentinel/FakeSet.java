package io.mortise.backend.support.sentinel;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Sentinels that say what a test tells them to say, and masters that reply with their place. */
final class FakeSet implements SentinelNodes {
  final Map<String, FakeSentinel> sentinels = new ConcurrentHashMap<>();
  final Map<String, FakeMaster> masters = new ConcurrentHashMap<>();

  /** Places at which opening fails. */
  final List<String> down = new CopyOnWriteArrayList<>();

  /** Places at which the next opening ends in an error. */
  final List<String> broken = new CopyOnWriteArrayList<>();

  /** Places at which opening waits until the set is closed. */
  final List<String> silent = new CopyOnWriteArrayList<>();

  /** How often each place of a sentinel was connected to. */
  final Map<String, Integer> tries = new ConcurrentHashMap<>();

  /** Places at which opening waits for this latch. */
  final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

  /** Whether the next script at the next master ends in an error. */
  volatile boolean nextIsWeak;

  volatile boolean closed;
  private final CountDownLatch end = new CountDownLatch(1);

  /** Adds a sentinel that names a master. */
  FakeSentinel sentinelAt(String place, String master, long epoch) {
    FakeSentinel sentinel = new FakeSentinel();
    sentinel.names(master, epoch, "master");
    sentinels.put(place, sentinel);
    return sentinel;
  }

  @Override
  public LockBackend master(String place) {
    if (broken.remove(place)) {
      throw new Error("no thread can be made");
    }
    requireUp(place);
    CountDownLatch gate = gates.get(place);
    if (gate != null) {
      try {
        gate.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    FakeMaster master = new FakeMaster(place);
    master.weak = nextIsWeak;
    masters.put(place, master);
    return master;
  }

  @Override
  public Sentinel sentinel(String place) {
    tries.merge(place, 1, Integer::sum);
    requireUp(place);
    return Objects.requireNonNull(sentinels.get(place), place);
  }

  /** The backend that was opened last at this place. */
  FakeMaster at(String place) {
    return Objects.requireNonNull(masters.get(place), place);
  }

  private void requireUp(String place) {
    if (silent.contains(place)) {
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new BackendException(Outcome.NOT_EXECUTED, place + " is silent", null);
    }
    if (down.contains(place)) {
      throw new BackendException(Outcome.NOT_EXECUTED, place + " cannot be used: down", null);
    }
  }

  @Override
  public void close() {
    closed = true;
    end.countDown();
  }

  /** One sentinel. */
  static final class FakeSentinel implements Sentinel {
    private final List<ChannelListener> listeners = new CopyOnWriteArrayList<>();
    volatile List<Object> answer = List.of();
    volatile List<Object> others = List.of();
    volatile int asked;

    /** Whether subscriptions are refused. */
    volatile boolean isDeaf;

    /** The error to every command; empty for none. */
    volatile String refuses = "";

    void names(String place, long epoch, String flags) {
      List<Object> facts = new ArrayList<>(fact(place));
      facts.addAll(List.of("flags", flags, "config-epoch", String.valueOf(epoch)));
      facts.addAll(List.of("num-other-sentinels", String.valueOf(others.size())));
      answer = facts;
    }

    void knows(String... places) {
      List<Object> facts = new ArrayList<>();
      for (String place : places) {
        facts.add(fact(place));
      }
      others = facts;
    }

    private static List<Object> fact(String place) {
      String[] parts = place.split(":", -1);
      return List.of("ip", parts[0], "port", parts[1]);
    }

    void tells() {
      listeners.forEach(listener -> listener.onMessage("something has changed"));
    }

    @Override
    public synchronized List<?> ask(String... words) throws IOException {
      asked++;
      if (answer.isEmpty()) {
        throw new IOException("no answer");
      }
      if (!refuses.isEmpty()) {
        throw new BackendException(Outcome.REPLIED, refuses, null);
      }
      return words[1].equals("MASTER") ? answer : others;
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      listeners.add(listener);
      if (isDeaf) {
        listener.onInterrupted(new IOException("NOPERM"));
      } else {
        listener.onSubscribed();
      }
      return () -> listeners.remove(listener);
    }

    /** The connection is lost. */
    void breaks() {
      List<ChannelListener> lost = List.copyOf(listeners);
      listeners.clear();
      lost.forEach(listener -> listener.onInterrupted(new IOException("lost")));
    }

    @Override
    public void close() {
      listeners.clear();
    }
  }

  /** The backend of one server. */
  static final class FakeMaster implements LockBackend {
    private final String place;
    final List<ChannelListener> listeners = new CopyOnWriteArrayList<>();
    volatile boolean closed;

    /** Whether the next subscription ends in an error. */
    volatile boolean breaks;

    /** Whether the next script ends in an error. */
    volatile boolean weak;

    volatile @Nullable Outcome fails;
    volatile List<String> lastArgs = List.of();

    FakeMaster(String place) {
      this.place = place;
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      lastArgs = call.args();
      if (weak) {
        weak = false;
        throw new Error("no thread can be made");
      }
      Outcome outcome = closed ? Outcome.NOT_EXECUTED : fails;
      if (outcome != null) {
        throw new BackendException(outcome, place + " failed", null);
      }
      return List.of(place);
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return CompletableFuture.completedFuture(execute(call));
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      if (breaks) {
        breaks = false;
        throw new Error("no thread can be made");
      }
      listeners.add(listener);
      listener.onSubscribed();
      return () -> listeners.remove(listener);
    }

    @Override
    public BackendInfo info() {
      return new BackendInfo(place, "7.0.0", true, true);
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
