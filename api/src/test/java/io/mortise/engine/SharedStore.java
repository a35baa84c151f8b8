package io.mortise.engine;

import io.mortise.spi.ScriptCall;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What {@code acquire.lua}, {@code leave.lua}, {@code force.lua} and {@code renew.lua} do with one
 * lock of several services, in Java, as long as no expiry passes: a holder, a queue, tombstones,
 * and a message, or a name in a reply, to whom the lock is granted.
 */
final class SharedStore {
  private final LockKeys keys;
  private final Schedule schedule;
  private final Deque<String> queue = new ArrayDeque<>();
  private final Set<String> tombstones = new HashSet<>();
  private final Set<String> forcedOut = new HashSet<>();
  private final Map<String, Consumer<String>> mailboxes = new HashMap<>();
  private @Nullable String holder;

  SharedStore(LockKeys keys, Schedule schedule) {
    this.keys = keys;
    this.schedule = schedule;
  }

  void deliver(String service, Consumer<String> mailbox) {
    mailboxes.put(service, mailbox);
  }

  /** An id in the queue that its service does not know, as after a failover to an old replica. */
  void addGhost(String id) {
    queue.add(id);
    grant();
  }

  @Nullable String holder() {
    return holder;
  }

  boolean isEmpty() {
    return holder == null && queue.isEmpty();
  }

  List<Object> run(ScriptCall call) {
    String id = call.args().get(0);
    List<Object> reply =
        switch (call.script().name()) {
          case "acquire" -> acquire(id, call.args().get(1).startsWith("join "));
          case "leave" -> leave(call.args());
          case "force" -> force();
          case "renew" -> call.args().stream().skip(1).map(this::isHeldBy).toList();
          default -> throw new IllegalArgumentException(call.toString());
        };
    schedule.note(call.script().name() + ' ' + id + ' ' + reply.get(0));
    return reply;
  }

  private Object isHeldBy(String id) {
    return id.equals(holder) ? 1L : 0L;
  }

  private List<Object> acquire(String id, boolean join) {
    if (id.equals(holder)) {
      return List.of(1L);
    }
    if (tombstones.contains(id)) {
      return List.of("TOO_LATE");
    }
    if (holder == null) {
      holder = id; // nobody waits: whoever let go has granted it to the first
      return List.of(1L);
    }
    if (!join) {
      return List.of("BUSY", 30_000L);
    }
    if (!queue.contains(id)) {
      queue.add(id);
    }
    return List.of("WAIT", 30_000L, 1L, TimeUnit.NANOSECONDS.toMicros(schedule.nanoTime()));
  }

  private List<Object> leave(List<String> args) {
    String id = args.get(0);
    boolean held = id.equals(holder);
    queue.remove(id);
    if (args.size() > 2) {
      tombstones.add(id);
    }
    String next = queue.peek();
    if (held && next != null && Character.isDigit(args.get(1).charAt(0)) && isNamed(next, id)) {
      holder = queue.remove();
      return List.of("RELEASED", "", next);
    }
    if (held) {
      grant();
    }
    return List.of(held ? 1L : "ABSENT");
  }

  private List<Object> force() {
    String id = holder;
    if (id == null) {
      return List.of("FREE");
    }
    tombstones.add(id);
    forcedOut.add(id);
    tell(id, "lost");
    grant();
    return List.of("FORCED", id);
  }

  boolean wasForcedOut(String id) {
    return forcedOut.contains(id);
  }

  private static boolean isNamed(String next, String by) {
    return next.contains(":n") && service(next).equals(service(by));
  }

  private static String service(String id) {
    return id.substring(0, id.indexOf(':'));
  }

  private void grant() {
    String next = queue.poll();
    holder = next;
    if (next != null) {
      tell(next, "grant 0 " + TimeUnit.NANOSECONDS.toMicros(schedule.nanoTime()));
    }
  }

  private void tell(String id, String what) {
    Consumer<String> mailbox = mailboxes.get(service(id));
    String message = what + '|' + id + '|' + keys.lock();
    if (mailbox != null) {
      schedule.later(message, () -> mailbox.accept(message));
    }
  }

  @Override
  public String toString() {
    return "held by " + holder + ", waiting " + queue;
  }
}
