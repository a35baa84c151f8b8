package io.mortise.backend.support.cluster;

import io.mortise.backend.support.Causes;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.Threads;
import io.mortise.backend.support.Waits;
import io.mortise.backend.support.cluster.ClusterNodes.Node;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a cluster: which of them has which slot, and the connections to them. Thread-safe.
 *
 * <p>The table of slots is read anew at most every 200 ms, from one node, over a connection that
 * stands if there is one. The next node is asked if that one is silent for 200 ms. So a node that
 * is frozen delays nothing.
 *
 * <p>After a call has failed at a node, the table is read again and again for some seconds. As soon
 * as the cluster has replaced the node, the calls that still wait for it end.
 */
final class ClusterMap implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(200);

  /** How long a node may take to name the slots. */
  private static final Duration PATIENCE = Duration.ofMillis(200);

  /**
   * How long after a failure another master is looked for. A waiter asks more often than that, and
   * fails again if there is none.
   */
  private static final Duration WATCH = Duration.ofSeconds(5);

  private final ClusterNodes cluster;
  private final List<String> seeds;
  private final Duration command;
  private final Map<String, CompletableFuture<Node>> nodes = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor workers = Threads.daemons("mortise-cluster-worker", 8);
  private final ScheduledThreadPoolExecutor reader = Threads.daemons("mortise-cluster-slots", 1);

  /** Whether a reading of the table is ahead. */
  private final AtomicBoolean ahead = new AtomicBoolean();

  /** Called after each reading of the table. */
  private volatile Runnable listener = () -> {};

  /** Called with the place of a node that was closed although the cluster names it. */
  private volatile Consumer<String> leaver = place -> {};

  private final String version;
  private volatile SlotTable table = SlotTable.read(List.of(), ":0");
  private volatile long readAt = System.nanoTime();

  /** The node that was named by the last redirection. */
  private volatile @Nullable String trusted;

  /** The nodes at which calls have failed, and when last. */
  private final Map<String, Long> failing = new ConcurrentHashMap<>();

  private volatile boolean closed;

  /** The connected nodes that the last reading did not name. Only the reader uses this field. */
  private Set<String> absent = Set.of();

  /**
   * Reads the table from the first seed that names the slots. If it throws, all nodes are closed,
   * and so is the cluster.
   *
   * @param command the time of a command
   * @throws BackendException no seed did; the message has the reason of each
   */
  ClusterMap(ClusterNodes cluster, List<String> seeds, Duration command) {
    this.cluster = cluster;
    this.seeds = seeds;
    this.command = command;
    try {
      version = readFirst();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private String readFirst() {
    List<BackendException> refusals = new ArrayList<>();
    for (String seed : seeds) {
      try {
        CompletableFuture<Node> opening = node(seed);
        if (Waits.awaitEnd(opening, Opening.longest(command, 1))) {
          Node unused = opening.get(); // throws if it cannot be opened
        }
        read(seed, Opening.attempt(command));
        return node(seed).join().backend().info().serverVersion();
      } catch (Exception e) {
        refusals.add(refusal(seed, e));
      }
    }
    String all = refusals.stream().map(Throwable::getMessage).collect(Collectors.joining("; and "));
    BackendException first = refusals.get(0);
    refusals.stream().skip(1).forEach(first::addSuppressed);
    throw new BackendException(Outcome.NOT_EXECUTED, all, first);
  }

  private static BackendException refusal(String seed, Exception failure) {
    Throwable cause = Causes.of(failure);
    return cause instanceof BackendException refusal && refusal.outcome() != Outcome.REPLIED
        ? refusal
        : RedisServers.refusal(seed, cause);
  }

  SlotTable table() {
    return table;
  }

  /** The version of the first node that answered. */
  String version() {
    return version;
  }

  /** Whom to tell that the table was read. */
  void onReading(Runnable heeded) {
    listener = heeded;
  }

  /** Whom to tell of a place whose node was closed, and will be another. */
  void onReplaced(Consumer<String> heeded) {
    leaver = heeded;
  }

  /** The node at a place. The future is done unless the node still connects. */
  CompletableFuture<Node> node(String place) {
    CompletableFuture<Node> known = nodes.get(place);
    if (known != null && isOver(known) && nodes.remove(place, known)) {
      soon(() -> {
        try {
          leaver.accept(place);
        } finally {
          end(known);
        }
      });
      return connect(place);
    }
    return known != null ? known : connect(place);
  }

  private static boolean isOver(CompletableFuture<Node> node) {
    return node.isDone() && !node.isCompletedExceptionally() && !node.join().isUsable();
  }

  private CompletableFuture<Node> connect(String place) {
    CompletableFuture<Node> opening = new CompletableFuture<>();
    CompletableFuture<Node> other = nodes.putIfAbsent(place, opening);
    if (other != null) {
      return other;
    }
    try {
      workers.execute(() -> open(place, opening));
    } catch (Error e) { // no thread can be made
      fail(place, opening, e);
    }
    return opening;
  }

  private void open(String place, CompletableFuture<Node> opening) {
    try {
      if (closed) {
        throw new BackendException(Outcome.NOT_EXECUTED, "the backend is closed", null);
      }
      Node node = cluster.open(place);
      boolean late = !opening.complete(node);
      if (late || closed) {
        node.backend().close();
      }
    } catch (RuntimeException | Error e) {
      fail(place, opening, e);
    }
  }

  private void fail(String place, CompletableFuture<Node> opening, Throwable why) {
    nodes.remove(place, opening); // the next call connects again
    opening.completeExceptionally(why);
  }

  /**
   * Reads the table soon. Many calls of this method cause one reading.
   *
   * @param named the node that should know, or null
   * @param failed the node at which a call has failed, or null
   */
  void refresh(@Nullable String named, @Nullable String failed) {
    trusted = named == null ? trusted : named;
    if (failed != null) {
      failing.put(failed, System.nanoTime());
    }
    if (!closed && ahead.compareAndSet(false, true)) {
      long pause = PAUSE.toNanos() - (System.nanoTime() - readAt);
      try {
        Future<?> unused = reader.schedule(this::refreshNow, pause, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        // The map was closed meanwhile.
      } catch (Error e) { // no thread can be made: the next call asks again
        ahead.set(false);
      }
    }
  }

  private void refreshNow() {
    ahead.set(false); // first: an event during the reading may have come too late for it
    for (String place : order()) {
      if (closed) {
        return;
      }
      try {
        boolean stands = isConnected(place);
        read(place, stands ? PATIENCE : Opening.attempt(command));
        closeReplaced();
        closeAbsent();
        listener.run();
        if (!failing.isEmpty()) {
          refresh(null, null);
        }
        return;
      } catch (Exception e) {
        readAt = System.nanoTime(); // the next node may know; if none does, the next call asks
      }
    }
  }

  /**
   * Whom to ask: the named node, the connected ones in any order, and the seeds. A named node
   * without a connection comes behind those that have one: it may be out of reach.
   */
  private Set<String> order() {
    List<String> connected = new ArrayList<>(nodes.keySet());
    connected.removeIf(place -> !isConnected(place));
    Collections.shuffle(connected);
    Set<String> order = new LinkedHashSet<>();
    String first = trusted;
    trusted = null;
    boolean stands = first != null && isConnected(first);
    if (stands) {
      order.add(first);
    }
    connected.stream().filter(place -> !failing.containsKey(place)).forEach(order::add);
    order.addAll(connected);
    if (first != null && !stands) {
      CompletableFuture<Node> unused = node(first); // so that it can be asked the next time
      order.add(first);
    }
    order.addAll(seeds);
    return order;
  }

  private boolean isConnected(String place) {
    CompletableFuture<Node> node = nodes.get(place);
    return node != null && node.isDone() && !node.isCompletedExceptionally();
  }

  /** Reads the table from a node, and connects to the masters that it names. */
  private void read(String place, Duration time) throws Exception {
    SlotTable said = SlotTable.read(ask(place, time, "CLUSTER", "SLOTS"), place);
    readAt = System.nanoTime();
    if (said.masters().isEmpty()) {
      throw new IllegalStateException("no node of this cluster has a slot");
    }
    table = said;
    for (String master : said.masters()) {
      CompletableFuture<Node> unused = node(master);
    }
  }

  /**
   * Sends a command that is no script to a node.
   *
   * @throws Exception the node cannot be reached, refused, or did not answer in time
   */
  List<?> ask(String place, Duration time, String... words) throws Exception {
    CompletableFuture<List<?>> reply = new CompletableFuture<>();
    long end = System.nanoTime() + time.toNanos();
    CompletableFuture<Node> opening = node(place);
    if (!Waits.awaitEnd(opening, time)) {
      throw new TimeoutException("no connection within " + time.toMillis() + " ms");
    }
    Node node = opening.get();
    workers.execute(() -> {
      try {
        Duration left = Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime()));
        reply.complete(node.ask(left, words));
      } catch (Exception | Error e) {
        reply.completeExceptionally(e);
      }
    });
    try {
      boolean unused = Waits.awaitEnd(reply, Duration.ofNanos(end - System.nanoTime()));
      return reply.get(0, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      String command = String.join(" ", List.of(words).subList(0, Math.min(2, words.length)));
      throw new TimeoutException("no reply to " + command + " within " + time.toMillis() + " ms");
    }
  }

  /**
   * Closes the nodes that have failed and are not named any more, so that calls there end now. A
   * node that lives on as a replica is named.
   */
  private void closeReplaced() {
    Set<String> named = table.places();
    failing.forEach((place, since) -> {
      if (!named.contains(place)) {
        failing.remove(place);
        CompletableFuture<Node> node = nodes.remove(place);
        soon(() -> end(node));
      } else if (System.nanoTime() - since > WATCH.toNanos()) {
        failing.remove(place, since);
      }
    });
  }

  /** Closes the nodes that two readings in a row did not name. */
  private void closeAbsent() {
    Set<String> gone = new TreeSet<>(nodes.keySet());
    gone.removeAll(table.places());
    for (String place : gone) {
      if (absent.contains(place)) {
        CompletableFuture<Node> node = nodes.remove(place);
        soon(() -> end(node));
      }
    }
    absent = gone;
  }

  /** Closes something on another thread, since that may take long. */
  private void soon(Runnable closing) {
    try {
      workers.execute(closing);
    } catch (Error e) {
      // No thread can be made. The task stays, and runs with the next one.
    }
  }

  private static void end(@Nullable CompletableFuture<Node> node) {
    if (node != null) {
      CompletableFuture<Void> unused = node.thenAccept(open -> open.backend().close());
    }
  }

  /**
   * Closes all nodes and ends all threads. Waits for each of them, at most three seconds. Nodes
   * that still connect are given up.
   */
  @Override
  public void close() {
    closed = true;
    BackendException why =
        new BackendException(Outcome.NOT_EXECUTED, "the backend is closed", null);
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (CompletableFuture<Node> node : nodes.values()) {
      node.completeExceptionally(why);
      ends.add(node.thenAcceptAsync(open -> open.backend().close(), workers));
    }
    cluster.close();
    CompletableFuture<Void> all = CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    boolean unused = Waits.awaitEnd(all, Duration.ofSeconds(2));
    Threads.end(List.of(workers, reader));
  }
}
