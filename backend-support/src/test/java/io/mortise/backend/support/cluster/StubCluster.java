package io.mortise.backend.support.cluster;

import io.mortise.backend.support.ServerError;
import io.mortise.backend.support.Waits;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A cluster whose nodes answer as the test says. The slot of a key is its length. */
final class StubCluster implements ClusterNodes {
  static final String A = "here:1";
  static final String B = "here:2";

  /** The nodes that got calls, in order, as {@code here:1} or {@code here:1 asking}. */
  final List<String> asked = new CopyOnWriteArrayList<>();

  /** The calls that all nodes got, in order. */
  final List<ScriptCall> calls = new CopyOnWriteArrayList<>();

  /** What each node replies: an error's text, or an empty text for success. */
  final Map<String, Function<Boolean, String>> replies = new ConcurrentHashMap<>();

  final Map<String, StubNode> nodes = new ConcurrentHashMap<>();

  /** Places at which the next opening ends in an error. */
  final List<String> broken = new CopyOnWriteArrayList<>();

  /** Places at which the next subscription ends in an error. */
  final List<String> deaf = new CopyOnWriteArrayList<>();

  /** Places at which the end of a subscription is an error. */
  final List<String> sticky = new CopyOnWriteArrayList<>();

  /** Places at which the next script ends in an error. */
  final List<String> failing = new CopyOnWriteArrayList<>();

  /** Places whose opening waits for this latch. */
  final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

  /** Whether messages go from node to node. */
  volatile boolean deliversMessages = true;

  /** The master of the slots that the tests use. */
  volatile String masterOfAll = A;

  /** The only node of the cluster, or empty if there are two. */
  volatile String onlyNode = "";

  /** Whether the nodes refuse to name the slots. */
  volatile boolean hidesSlots;

  /** The last slot that has a master, if there is one node. */
  volatile long lastSlot = 16_383;

  volatile TimeSource time = TimeSource.system();

  @Override
  public int slot(String key) {
    return key.length();
  }

  @Override
  public TimeSource time() {
    return time;
  }

  @Override
  public Node open(String place) {
    CountDownLatch gate = gates.get(place);
    if (gate != null) {
      try {
        gate.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    if (broken.remove(place)) {
      throw new Error("no thread can be made");
    }
    if (place.contains("nowhere")) {
      throw new BackendException(Outcome.NOT_EXECUTED, place + " refused the connection", null);
    }
    StubNode node = new StubNode(place);
    nodes.put(place, node);
    return node;
  }

  @Override
  public void close() {}

  List<?> slots() {
    if (!onlyNode.isEmpty()) {
      return List.of(List.of(0L, lastSlot, List.of("here", onlyNode.equals(A) ? 1L : 2L)));
    }
    String first = masterOfAll.equals(A) ? "1" : "2";
    List<Object> a = List.of("", Long.valueOf(first), "id");
    List<Object> b = List.of("", 3L - Long.parseLong(first), "id");
    return List.of(List.of(0L, 9_999L, a), List.of(10_000L, 16_383L, b));
  }

  /** One node: it answers CLUSTER SLOTS, and hands messages to the subscribers of all nodes. */
  final class StubNode implements Node, LockBackend {
    final List<ChannelListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<ChannelListener, String> channels = new ConcurrentHashMap<>();
    private final String place;

    /** Whether the application has closed the client. */
    volatile boolean over;

    /** The thread that has closed this node. */
    volatile @Nullable Thread closer;

    StubNode(String place) {
      this.place = place;
    }

    @Override
    public boolean isUsable() {
      return !over;
    }

    @Override
    public LockBackend backend() {
      return this;
    }

    void deliver(String channel, String message) {
      listeners.stream()
          .filter(each -> channel.equals(channels.get(each)))
          .forEach(each -> each.onMessage(message));
    }

    @Override
    public List<?> ask(Duration time, String... words) {
      if (words[0].equals("PUBLISH") && deliversMessages) {
        nodes.values().forEach(node -> node.deliver(words[1], words[2]));
      }
      if (hidesSlots) {
        throw ServerError.failure("NOPERM no permissions to run 'cluster|slots'", null);
      }
      return words[0].equals("PUBLISH") ? List.of(0L) : slots();
    }

    @Override
    public CompletableFuture<List<Object>> executeAsking(ScriptCall call) {
      calls.add(call);
      return reply(true);
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      calls.add(call);
      return Waits.await(reply(false));
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      calls.add(call);
      return reply(false);
    }

    private CompletableFuture<List<Object>> reply(boolean asking) {
      if (failing.remove(place)) {
        throw new Error("no thread can be made");
      }
      asked.add(place + (asking ? " asking" : ""));
      String error = replies.getOrDefault(place, any -> "").apply(asking);
      return error.isEmpty()
          ? CompletableFuture.completedFuture(List.of(place))
          : CompletableFuture.failedFuture(ServerError.failure(error, null));
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      if (deaf.remove(place)) {
        throw new Error("no thread can be made");
      }
      channels.put(listener, channel);
      listeners.add(listener);
      listener.onSubscribed();
      return () -> {
        listeners.remove(listener);
        if (sticky.contains(place)) {
          throw new Error("no thread can be made");
        }
      };
    }

    @Override
    public BackendInfo info() {
      return new BackendInfo(place, "7.0.0", false, false, Topology.CLUSTER, null);
    }

    @Override
    public void close() {
      nodes.remove(place, this);
      listeners.clear(); // a backend that is closed tells its listeners nothing
      closer = Thread.currentThread();
    }

    @Override
    public String toString() {
      return place;
    }
  }

  /** Replies with these errors one after the other, and then with success. */
  static Function<Boolean, String> inTurn(String... errors) {
    List<String> left = new ArrayList<>(List.of(errors));
    return asking -> {
      synchronized (left) {
        return left.isEmpty() ? "" : left.remove(0);
      }
    };
  }
}
