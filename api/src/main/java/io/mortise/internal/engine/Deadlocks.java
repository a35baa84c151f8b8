package io.mortise.internal.engine;

import io.mortise.Deadlock;
import io.mortise.DeadlockException;
import io.mortise.internal.engine.Acquisition.Grant.Holder;
import io.mortise.internal.wire.AcquisitionId;
import io.mortise.internal.wire.Names;
import io.mortise.internal.wire.Probe;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds deadlocks of threads, also over several processes, and tells them. {@link Walks} has the
 * way in which they are found. This class says which threads hold and wait, by the {@link Gate} at
 * which each of them is parked. That may be a gate of another service of this process. As long as
 * no thread holds a lock and waits for another, it sends nothing. Thread-safe; does not block.
 */
final class Deadlocks {
  private static final Logger log = LoggerFactory.getLogger(Deadlocks.class);

  /** Tells this process from others, in the text of a wait. */
  private static final String PROCESS = HexFormat.of().toHexDigits(new SecureRandom().nextLong());

  private static final int MOST_FRAMES = 8;
  private static final int MOST_HOLDERS = 16;

  /** How many texts stand before the lines of the stack in the details of a hop. */
  private static final int TEXTS = 4;

  private static final Pattern MILLIS = Pattern.compile("\\d{1,15}");

  /** How much of a message that is ignored the log shows. */
  private static final int SHOWN = 100;

  private final Store store;
  private final Acquisitions acquisitions;
  private final LeaseEvents events;
  private final Walks<Blocked> walks;
  private final AtomicBoolean complained = new AtomicBoolean();
  private final AtomicBoolean failed = new AtomicBoolean();
  private volatile long lookedAt;

  Deadlocks(Store store, Acquisitions acquisitions, LeaseEvents events) {
    this.store = store;
    this.acquisitions = acquisitions;
    this.events = events;
    walks = new Walks<>(store.clientId().text(), this::tell);
    lookedAt = store.now();
  }

  /** A thread that holds a lock, and waits at a gate. */
  private record Blocked(Gate gate, Waiter waiter, Acquisition held) implements Walks.Waiting {
    @Override
    public String waitId() {
      long begun = gate.store().timeOfDay(waiter.start());
      return "%016x.%s.%x".formatted(begun, PROCESS, waiter.thread().getId());
    }

    @Override
    public Probe.Hop hop(boolean detailed) {
      String details = detailed ? Probe.pack(details()) : "";
      return new Probe.Hop(held.id(), waitId(), details);
    }

    private List<String> details() {
      Stream<String> texts =
          Stream.of(
              waiter.thread().getName(),
              held.keys().text(),
              gate.keys().text(),
              Long.toString(waited() / 1_000_000));
      Stream<String> stack =
          Arrays.stream(waiter.thread().getStackTrace())
              .dropWhile(frame -> !frame.getClassName().startsWith("io.mortise.internal."))
              .filter(frame -> isOfApplication(frame.getClassName()))
              .limit(MOST_FRAMES)
              .map(frame -> frame.toString().replaceFirst("^app//", "")); // the usual class loader
      return Stream.concat(texts, stack).toList();
    }

    private static boolean isOfApplication(String type) {
      return !LeaseGrant.Caller.isOurs(type) && !type.matches("(java|jdk)\\..*");
    }

    long waited() {
      return gate.store().now() - waiter.start();
    }

    /** Nobody waits for the answer. A probe that is lost is sent again at the next look. */
    @Override
    public void send(Probe probe) {
      Store of = gate.store();
      if (!of.isClosed()) {
        CompletableFuture<List<Object>> unused =
            of.batcher().send(of.scripts().probe(gate.keys(), probe));
      }
    }
  }

  /** Called at each run of the keeper's timer. It never throws: leases do not depend on it. */
  void look() {
    long now = store.now();
    long least = store.options().times().recheck().toNanos();
    if (now - lookedAt < least) {
      return;
    }
    lookedAt = now;
    try {
      List<Blocked> all = blocked(acquisitions.all());
      all.removeIf(each -> each.waited() < least);
      walks.look(all);
    } catch (RuntimeException e) {
      if (failed.compareAndSet(false, true)) {
        log.error("{}: a look for deadlocks failed; later ones that fail are not logged", store, e);
      }
    }
  }

  /**
   * A message about a hold came.
   *
   * @param words the words of a probe, or what somebody else has sent
   * @param id the acquisition that holds
   */
  void hear(String words, String id) {
    Probe probe = Probe.read(words);
    Acquisition held = acquisitions.find(id);
    if (probe != null && held != null) {
      walks.hear(probe, blocked(List.of(held)).stream().limit(MOST_HOLDERS).toList());
    } else if (probe == null && complained.compareAndSet(false, true)) {
      log.warn(
          "{} ignores probes for deadlocks that it cannot read, the first begins with '{}'; if a later version of Mortise runs beside this one, deadlocks with it are not found (docs/deadlocks.md)",
          store,
          Names.shownStart(words, SHOWN));
    }
  }

  /**
   * The threads that hold by these acquisitions, and wait. Each gate is asked once, however many
   * threads wait there.
   */
  private List<Blocked> blocked(Collection<Acquisition> held) {
    Map<Gate, Map<Thread, Waiter>> waiting = new HashMap<>();
    List<Blocked> blocked = new ArrayList<>();
    long now = store.now();
    for (Acquisition each : held) {
      List<Holder> holders = each.lease().isValid(now) ? each.grant().holders(each) : List.of();
      for (Holder holder : holders) {
        Thread thread = holder.thread();
        if (thread != null && LockSupport.getBlocker(thread) instanceof Gate gate) {
          Waiter waiter = waiting.computeIfAbsent(gate, Deadlocks::byThread).remove(thread);
          if (waiter != null) { // else another of its locks was first, or it waits no more
            blocked.add(new Blocked(gate, waiter, each));
          }
        }
      }
    }
    return blocked;
  }

  private static Map<Thread, Waiter> byThread(Gate gate) {
    Map<Thread, Waiter> waiters = new IdentityHashMap<>();
    gate.waiting().forEach(each -> waiters.put(each.thread(), each));
    return waiters;
  }

  /** Breaks it before listeners hear of it, as one that runs on this thread may block. */
  private void tell(Blocked youngest, List<Probe.Hop> path) {
    List<Deadlock.Party> parties = new ArrayList<>(path.stream().map(Deadlocks::party).toList());
    Collections.rotate(parties, 1);
    Deadlock found = new Deadlock(parties);
    Store of = youngest.gate().store();
    if (of.options().breakDeadlocks()) {
      youngest.waiter().fail(of.time(), () -> new DeadlockException(found));
    }
    events.deadlocked(found);
  }

  /** What another service has sent may have any details. */
  private static Deadlock.Party party(Probe.Hop hop) {
    AcquisitionId id = AcquisitionId.read(hop.hold());
    List<String> texts = Probe.unpack(hop.details());
    texts = texts.size() < TEXTS ? Collections.nCopies(TEXTS, "?") : texts;
    String thread = hop.waitId().substring(hop.waitId().lastIndexOf('.') + 1);
    String millis = texts.get(3);
    return new Deadlock.Party(
        id.client(),
        id.host(),
        id.pid(),
        texts.get(0),
        Long.parseUnsignedLong(thread, 16),
        texts.get(1),
        texts.get(2),
        Duration.ofMillis(MILLIS.matcher(millis).matches() ? Long.parseLong(millis) : 0),
        List.copyOf(texts.subList(TEXTS, texts.size())));
  }
}
