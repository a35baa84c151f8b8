package io.mortise.jmh.memory;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.drive.Remote;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Measures one subject of one contestant once, in a new JVM and with a new server. */
final class Trial {
  /** The flags of the measured JVM. */
  static final List<String> FLAGS =
      List.of("-XX:+UseSerialGC", "-XX:+UseCompressedOops", "-Xms1g", "-Xmx1g");

  private final Subject subject;
  private final Contestant contestant;
  private final boolean quick;
  private final int size;
  private final Duration lease;
  private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);

  Trial(Subject subject, Contestant contestant, boolean quick) {
    this.subject = subject;
    this.contestant = contestant;
    this.quick = quick;
    size = subject.size(quick);
    lease = Duration.ofSeconds(quick ? 6 : 30);
  }

  /** The figures of one object; of names that were used once, those of all together. */
  Map<Figure, Double> run() throws IOException, InterruptedException {
    Duration settle = Duration.ofMillis(quick ? 500 : 3_000);
    try (RedisServer server = RedisServer.start();
        Remote probe =
            Remote.start(
                Probe.class,
                FLAGS,
                new Order(subject, contestant, server.uri(), size, lease, settle).words(),
                ProcessBuilder.Redirect.INHERIT)) {
      StoreFigures unused = StoreFigures.of(server); // a command's first call takes 24 KB for good
      Reading before = reading(probe, Probe.BEFORE, server);
      probe.goOn();
      Reading filled = reading(probe, Probe.FILLED, server);
      watch(server);
      probe.goOn();
      Reading later = reading(probe, Probe.LATER, server);
      compare(before, filled, later);
    }
    if (contestant == Contestant.MORTISE_MEMORY) {
      figures.keySet().retainAll(List.of(Figure.HEAP, Figure.HEAP_LATER, Figure.THREADS));
    }
    return figures;
  }

  /** The figures of both sides at one time. */
  private record Reading(JvmFigures jvm, StoreFigures store) {}

  private static Reading reading(Remote probe, String step, RedisServer server) throws IOException {
    return new Reading(JvmFigures.parse(probe.await(step)), StoreFigures.of(server));
  }

  private void watch(RedisServer server) throws InterruptedException {
    if (subject == Subject.LOCKS_HELD_AT_ONCE) {
      countRenewals(server);
    } else if (subject == Subject.NAMES_USED_ONCE) {
      Thread.sleep(quick ? 1_000 : 60_000);
    }
  }

  /** Longer than a lease, and a whole number of renewals. */
  private void countRenewals(RedisServer server) throws InterruptedException {
    Duration watch = lease.dividedBy(3).multipliedBy(4);
    server.resetCounts();
    Thread.sleep(watch.toMillis());
    Map<String, Long> counts = server.commandCounts();
    double seconds = watch.toMillis() / 1e3;
    long scripts = counts.getOrDefault("evalsha", 0L) + counts.getOrDefault("eval", 0L);
    long all = counts.values().stream().mapToLong(Long::longValue).sum();
    figures.put(Figure.SCRIPTS, scripts / seconds);
    figures.put(Figure.COMMANDS, all / seconds);
  }

  private void compare(Reading before, Reading filled, Reading later) {
    double parts = subject == Subject.NAMES_USED_ONCE ? 1 : size;
    JvmFigures jvm = filled.jvm;
    StoreFigures store = filled.store;
    figures.put(Figure.HEAP, (jvm.heap() - before.jvm.heap()) / parts);
    figures.put(Figure.DIRECT, (jvm.direct() - before.jvm.direct()) / parts);
    figures.put(Figure.THREADS, (jvm.threads() - before.jvm.threads()) / parts);
    figures.put(Figure.STORE, (store.data() - before.store.data()) / parts);
    figures.put(Figure.CLIENTS, (store.clients() - before.store.clients()) / parts);
    figures.put(Figure.CONNECTIONS, (store.connections() - before.store.connections()) / parts);
    figures.put(Figure.KEYS, (store.keys() - before.store.keys()) / parts);
    figures.put(Figure.HEAP_LATER, (later.jvm.heap() - before.jvm.heap()) / parts);
    figures.put(Figure.STORE_LATER, (later.store.data() - before.store.data()) / parts);
    figures.put(Figure.KEYS_LATER, (later.store.keys() - before.store.keys()) / parts);
    long lost = size - (later.store.keys() - before.store.keys());
    figures.put(Figure.LOST, (double) Math.max(0, lost));
  }
}
