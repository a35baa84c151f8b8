package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Step.What;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The orders of a worker, passed on its command line.
 *
 * @param name the worker process: {@code w1.2}
 * @param folder of its log
 * @param origin the {@link System#nanoTime} of the run's start
 * @param provider its backend
 * @param replicas how many replicas its services wait for; 0 for none
 * @param lease of holds that are renewed
 * @param uris its own links to the store: the main one, then those of the Redlock
 * @param threads how many
 * @param seed decides their plans
 * @param locks the locks it uses
 */
record WorkerOrders(
    String name,
    Path folder,
    long origin,
    String provider,
    int replicas,
    Duration lease,
    List<String> uris,
    int threads,
    long seed,
    List<What> locks) {
  static final String MAIN = "main";

  /** The name of a Redlock's server in the logs. */
  static String red(int number) {
    return "red-" + number;
  }

  List<String> toArguments() {
    return List.of(
        name,
        folder.toString(),
        Long.toString(origin),
        provider,
        Integer.toString(replicas),
        Long.toString(lease.toMillis()),
        String.join(" ", uris),
        Integer.toString(threads),
        Long.toString(seed),
        String.join(",", locks.stream().map(What::name).toList()));
  }

  static WorkerOrders of(String[] args) {
    return new WorkerOrders(
        args[0],
        Path.of(args[1]),
        Long.parseLong(args[2]),
        args[3],
        Integer.parseInt(args[4]),
        Duration.ofMillis(Long.parseLong(args[5])),
        List.of(args[6].split(" ", -1)),
        Integer.parseInt(args[7]),
        Long.parseLong(args[8]),
        Stream.of(args[9].split(",", -1)).map(What::valueOf).toList());
  }

  /** The fields of the line that begins an attempt. */
  Object[] describe(Step step, long number, boolean must) {
    boolean fixed = !step.lease().isZero();
    long nanos = (fixed ? step.lease() : lease).toNanos();
    List<String> red =
        Stream.iterate(1, i -> i + 1).limit(uris.size() - 1).map(WorkerOrders::red).toList();
    return new Object[] {
      "stay",
      number,
      "of",
      String.join(",", Locks.resources(step.what())),
      "on",
      step.what() == What.RED ? String.join(",", red) : MAIN,
      "way",
      step.what() + "/" + step.way(),
      "weight",
      step.what() == What.WRITE ? Locks.READERS : 1,
      "capacity",
      capacity(step.what()),
      "lease",
      nanos,
      "fixed",
      fixed,
      "replicated",
      replicas > 0,
      "limit",
      step.way().hasLimit() && !step.what().isControl() ? step.patience().toNanos() : Stay.NEVER,
      "must",
      must
    };
  }

  private static int capacity(What what) {
    return switch (what) {
      case READ, WRITE -> Locks.READERS;
      case SEMAPHORE -> Locks.PERMITS;
      default -> 1;
    };
  }
}
