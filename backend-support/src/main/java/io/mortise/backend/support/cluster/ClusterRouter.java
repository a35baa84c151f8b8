package io.mortise.backend.support.cluster;

import io.mortise.backend.support.ActivityTimer;
import io.mortise.backend.support.Causes;
import io.mortise.backend.support.Threads;
import io.mortise.backend.support.Waits;
import io.mortise.backend.support.cluster.ClusterNodes.Node;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Runs scripts on the nodes of a Redis Cluster: each on the master that has the slot of its keys.
 * It knows the slots itself, and decides itself when a call is sent again, because a call must run
 * at most once within its deadline. The nodes' own backends send it. Thread-safe.
 *
 * <p>A script without keys runs on any master. Messages come over one node, since a cluster gives
 * each message to all of its nodes. Those of a sharded channel come over the node of its slot.
 */
public final class ClusterRouter implements LockBackend {
  private static final Duration RE_READING = Duration.ofSeconds(30);
  private static final int SLOTS = 16_384;

  private final ClusterNodes cluster;
  private final ClusterMap map;
  private final BackendInfo info;
  private final ClusterMessages messages;
  private final ShardedMessages shards;
  private final ActivityTimer pulse;
  private volatile boolean closed;

  /**
   * Reads which nodes there are, and begins to connect to all masters.
   *
   * @param cluster the client library; the router closes it, also if it cannot be opened
   * @param seeds the {@code host:port} of one node or of several
   * @param endpoint the cluster in messages, without a secret
   * @param command the time of a command, which the times of the opening follow
   * @throws BackendException no seed is a node of a cluster that can be used
   */
  public ClusterRouter(
      ClusterNodes cluster, List<String> seeds, String endpoint, Duration command) {
    this.cluster = cluster;
    map = new ClusterMap(cluster, seeds, command);
    info = new BackendInfo(endpoint, map.version(), false, false, Topology.CLUSTER, null);
    messages = new ClusterMessages(map, ClusterMessages.BEAT);
    shards = new ShardedMessages(cluster, map);
    map.onReading(() -> {
      messages.check();
      shards.check();
    });
    map.onReplaced(place -> {
      messages.leave(place);
      shards.leave(place);
    });
    pulse = new ActivityTimer(() -> map.refresh(null, null), RE_READING);
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    time().checkMayPark();
    use();
    Route route = route(call);
    try {
      return first(call, route);
    } catch (BackendException e) {
      CompletableFuture<List<Object>> answer = new CompletableFuture<>();
      fail(route, answer, e);
      return Waits.await(answer);
    }
  }

  /** The first step, which most calls end with, on the caller's thread. */
  private static List<Object> first(ScriptCall call, Route route) {
    CompletableFuture<Node> found = route.node();
    Waits.awaitNode(found, call);
    Node node;
    try {
      node = found.join(); // it ends in time
    } catch (CompletionException e) {
      throw route.unreachable(e);
    }
    return node.backend().execute(route.callInTime());
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    use();
    CompletableFuture<List<Object>> answer = new CompletableFuture<>();
    begin(route(call), answer);
    return answer;
  }

  /** Sends the calls of each node together. */
  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    use();
    List<CompletableFuture<List<Object>>> answers = new ArrayList<>();
    Map<Node, List<Sent>> batches = new LinkedHashMap<>();
    for (ScriptCall call : calls) {
      CompletableFuture<List<Object>> answer = new CompletableFuture<>();
      answers.add(answer);
      Route route = route(call);
      CompletableFuture<Node> node = route.node();
      if (node.isDone() && !node.isCompletedExceptionally()) {
        batches
            .computeIfAbsent(node.join(), each -> new ArrayList<>())
            .add(new Sent(call, route, answer));
      } else {
        begin(route, answer);
      }
    }
    batches.forEach(this::send);
    return answers;
  }

  /** A call that is sent together with others of its node. */
  private record Sent(ScriptCall call, Route route, CompletableFuture<List<Object>> answer) {}

  private void send(Node node, List<Sent> batch) {
    List<ScriptCall> calls = new ArrayList<>();
    batch.forEach(each -> calls.add(each.call()));
    List<CompletableFuture<List<Object>>> replies = replies(node, calls);
    for (int i = 0; i < replies.size(); i++) {
      settle(batch.get(i).route(), replies.get(i), batch.get(i).answer());
    }
  }

  private static List<CompletableFuture<List<Object>>> replies(Node node, List<ScriptCall> calls) {
    try {
      return node.backend().executeAll(calls);
    } catch (RuntimeException | Error e) { // the calls of other nodes do not end by it
      return Collections.nCopies(calls.size(), CompletableFuture.failedFuture(e));
    }
  }

  private void begin(Route route, CompletableFuture<List<Object>> answer) {
    if (answer.isDone()) {
      return; // cancelled
    }
    CompletableFuture<?> unused =
        route
            .node()
            .whenComplete((node, failure) ->
                step(
                    answer,
                    () -> {
                      if (node == null) {
                        fail(route, answer, route.unreachable(failure));
                      } else {
                        settle(route, send(route, node), answer);
                      }
                    }));
  }

  /** Does part of a step. What it throws ends the call, which nobody else would end. */
  private static void step(CompletableFuture<List<Object>> answer, Runnable part) {
    try {
      part.run();
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(Causes.known(e));
    }
  }

  private static CompletableFuture<List<Object>> send(Route route, Node node) {
    ScriptCall call = route.callInTime();
    try {
      return route.isAsking() ? node.executeAsking(call) : node.backend().executeAsync(call);
    } catch (RuntimeException | Error e) { // a node that was closed, or no thread can be made
      return CompletableFuture.failedFuture(e);
    }
  }

  private void settle(
      Route route, CompletableFuture<List<Object>> reply, CompletableFuture<List<Object>> answer) {
    CompletableFuture<?> unused =
        reply.whenComplete((value, failure) -> {
          if (value != null) {
            answer.complete(value);
          } else {
            fail(route, answer, Causes.known(failure));
          }
        });
  }

  private void fail(Route route, CompletableFuture<List<Object>> answer, BackendException failure) {
    step(
        answer,
        () -> {
          route.failed(failure); // throws if the call has failed
          if (route.pause().isZero()) {
            begin(route, answer);
          } else {
            time().schedule(() -> begin(route, answer), route.pause());
          }
        });
  }

  private Route route(ScriptCall call) {
    List<String> keys = call.keys();
    int slot =
        keys.isEmpty()
            ? map.table().ownedFrom(ThreadLocalRandom.current().nextInt(SLOTS))
            : cluster.slot(keys.get(0));
    return new Route(call, map, info.endpoint(), slot);
  }

  private void use() {
    if (closed) {
      return; // the nodes refuse
    }
    pulse.use();
    messages.use();
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return messages.subscribe(channel, listener);
  }

  @Override
  public Subscription subscribeSharded(String channel, ChannelListener listener) {
    return info.shardsChannels()
        ? shards.subscribe(channel, listener)
        : messages.subscribe(channel, listener);
  }

  @Override
  public TimeSource time() {
    return cluster.time();
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  /** Closes all nodes, and ends all threads. Waits some seconds for those that are busy. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      pulse.close();
      List<ScheduledThreadPoolExecutor> turns = List.of(messages.close(), shards.close());
      map.close();
      Threads.end(turns);
    }
  }

  @Override
  public String toString() {
    return "ClusterRouter[" + info.endpoint() + (closed ? ", closed]" : "]");
  }
}
