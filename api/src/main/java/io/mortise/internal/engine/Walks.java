package io.mortise.internal.engine;

import io.mortise.internal.wire.Probe;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * How a service finds deadlocks of which its threads are a part: by edge chasing (Chandy, Misra and
 * Haas 1983). It knows threads only as what they hold and wait for. Thread-safe; does not block.
 *
 * @param <T> a thread that holds a lock and waits for another
 */
final class Walks<T extends Walks.Waiting> {
  /* Overview
   *
   * At each look, each thread that holds and waits begins a walk: it sends a probe to all threads
   * that hold what it waits for. A thread that waits itself passes the probe on, to those that hold
   * what it waits for. A thread that does not wait ends it. If the probe comes back to where it
   * began, it has gone along a circle.
   *
   *   only the youngest  A thread passes a probe on only if its own wait is older than the one where
   *                      the probe began. So of all walks along a circle one comes back, that of the
   *                      wait that began last
   *   twice              The first time that a walk comes back is noted, with all hops of its path.
   *                      Another walk begins, which also collects details for people. The circle is
   *                      told when such a walk comes back by the same path that began after that
   *   once               A path is told once. It is remembered until the wait was out of sight at
   *                      REMEMBERED looks in a row: at one look, a thread that still waits may be
   *                      busy with asking the store
   *
   * Told means that it was true at the moment M when the first walk came back:
   *
   *   - A hop names a thread's wait, and the id by which it holds. Both walks saw them, one before M
   *     and one after. A thread that waits releases nothing. So at M it waited, and held by that id.
   *   - A probe is sent by one script to the ids that hold the lock in the store at that moment. An
   *     id holds once, and never again. So at M the id held the lock in the store too.
   *
   * A probe is a hint. If one is lost, the next look begins another.
   */

  /** A thread that holds a lock and waits for another. */
  interface Waiting {
    /** Its wait, as in a {@link Probe.Hop}. */
    String waitId();

    /** Its hold and its wait. */
    Probe.Hop hop(boolean detailed);

    /** Sends a probe to all that hold what it waits for. Does not block. */
    void send(Probe probe);
  }

  /** How many walks begin at a look at most. Others begin at a later one. */
  static final int MOST_WALKS = 100;

  /**
   * A wait that was missing at so many looks in a row is over. It is a lease at least: looks are no
   * closer than a thirtieth of it.
   */
  static final int REMEMBERED = 30;

  private static final int MOST_PATHS = 100;
  private static final int MOST_PASSED = 10_000;
  private static final long TOLD = Long.MAX_VALUE;

  private final String client;
  private final BiConsumer<T, List<Probe.Hop>> told;

  /** The circles of a wait. */
  private static final class Seen {
    /** By path: the last walk that had begun when it was first seen, or TOLD. */
    final Map<List<String>, Long> paths = new HashMap<>();

    /** At how many looks in a row the wait was missing. */
    int missing;
  }

  /** By wait. */
  private final Map<String, Seen> seen = new HashMap<>();

  /** What was passed on since the last look. */
  private final Set<String> passed = new HashSet<>();

  private long walk;

  /**
   * @param told gets a thread of this service, and the path from the first of those that hold what
   *     it waits for back to itself
   */
  Walks(String client, BiConsumer<T, List<Probe.Hop>> told) {
    this.client = client;
    this.told = told;
  }

  /** Begins a walk for each of the threads. */
  void look(Collection<? extends T> waiting) {
    begun(waiting).forEach(Runnable::run);
  }

  private synchronized List<Runnable> begun(Collection<? extends T> waiting) {
    passed.clear();
    Set<String> here = waiting.stream().map(Waiting::waitId).collect(Collectors.toSet());
    seen.forEach((wait, of) -> of.missing = here.contains(wait) ? 0 : of.missing + 1);
    seen.values().removeIf(of -> of.missing >= REMEMBERED);
    return chosen(waiting).stream().map(each -> begin(each, false)).toList();
  }

  private Runnable begin(T waiting, boolean detailed) {
    Probe probe = new Probe(client, ++walk, detailed, waiting.waitId(), List.of());
    return () -> waiting.send(probe);
  }

  /** If there are too many, those that were seen in a circle, and some of the others. */
  private List<T> chosen(Collection<? extends T> waiting) {
    List<T> all = new ArrayList<>(waiting);
    if (all.size() <= MOST_WALKS) {
      return all;
    }
    Collections.shuffle(all);
    all.sort((one, other) ->
        Boolean.compare(seen.containsKey(other.waitId()), seen.containsKey(one.waitId())));
    return all.subList(0, MOST_WALKS);
  }

  /**
   * A probe has come.
   *
   * @param holders the threads that hold by the id to which it was sent, and wait
   */
  void hear(Probe probe, Collection<? extends T> holders) {
    heard(probe, holders).forEach(Runnable::run);
  }

  private synchronized List<Runnable> heard(Probe probe, Collection<? extends T> holders) {
    List<Runnable> next = new ArrayList<>();
    for (T each : holders) {
      int order = each.waitId().compareTo(probe.waitId());
      if (order == 0 && probe.client().equals(client) && probe.walk() <= walk) {
        next.addAll(back(each, probe.with(each.hop(probe.detailed()))));
      } else if (order < 0 && mayPass(probe, each)) {
        Probe longer = probe.with(each.hop(probe.detailed()));
        next.add(() -> each.send(longer));
      }
    }
    return next;
  }

  /** A thread passes a walk on once, also if several ways lead to it. */
  private boolean mayPass(Probe probe, T next) {
    return probe.hops().size() < Probe.MOST_HOPS - 1
        && passed.size() < MOST_PASSED
        && passed.add(probe.client() + ' ' + probe.walk() + ' ' + next.waitId());
  }

  /**
   * A walk came back. The first one by its path begins another at once, with details, and that one
   * tells it. If that is lost, the walk of the next look begins one more.
   */
  private List<Runnable> back(T waiting, Probe back) {
    List<String> path = back.hops().stream().map(Probe.Hop::edge).toList();
    Map<List<String>, Long> paths = seen.computeIfAbsent(back.waitId(), waitId -> new Seen()).paths;
    if (paths.size() >= MOST_PATHS) {
      paths.values().removeIf(since -> since != TOLD);
    }
    Long before = paths.get(path);
    if (before == null && paths.size() < MOST_PATHS) {
      paths.put(path, walk);
    } else if (before == null || back.walk() <= before) {
      return List.of();
    } else if (back.detailed()) {
      paths.put(path, TOLD);
      return List.of(() -> told.accept(waiting, back.hops()));
    }
    return List.of(begin(waiting, true));
  }
}
