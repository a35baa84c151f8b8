package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Fault.Sort;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A task of the injector and its time. The plan is a pure function of the seed.
 *
 * @param at ms after the start of the faults
 * @param sort the kind of fault
 * @param worker the worker, or the worker of the link
 * @param server the server, or the server of the link; 0 is the main server
 * @param lasts the length (ms)
 * @param choice decides what the fault hits, below 1000
 * @param millis the step of a clock
 */
record PlannedFault(
    long at, Sort sort, int worker, int server, long lasts, int choice, long millis) {
  /** The kinds, each listed as often as its weight. */
  private static final List<Sort> LINKS =
      List.of(Sort.CUT, Sort.HALF_OPEN, Sort.LATE_REPLIES, Sort.LOST_REPLIES, Sort.REFUSE);

  private static final List<Sort> OF_ALL_SERVERS =
      List.of(Sort.SERVER_FREEZE, Sort.SERVER_FREEZE, Sort.SERVER_RESTART);

  private static final List<Sort> OF_THE_MAIN_SERVER =
      List.of(
          Sort.SERVER_FORGET,
          Sort.DELETED,
          Sort.DELETED,
          Sort.DELETED,
          Sort.COMPANION_DELETED,
          Sort.CLOCK_FORWARD,
          Sort.CLOCK_BACK);

  /** Every fault of a run on single servers, in order. */
  static List<PlannedFault> plan(long seed, long millis, int workers, int servers) {
    Random random = new Random(seed);
    List<PlannedFault> plan = new ArrayList<>();
    for (long at = 500; at < millis; at += 100 + random.nextInt(900)) {
      plan.add(next(random, at, workers, servers));
    }
    return plan;
  }

  /** Every fault of a run on a store of these sorts of faults. Each sort comes in turn. */
  static List<PlannedFault> plan(long seed, long millis, int workers, List<Sort> sorts) {
    Random random = new Random(seed);
    List<PlannedFault> plan = new ArrayList<>();
    List<Sort> round = new ArrayList<>();
    for (long at = 500; at < millis; at += 100 + random.nextInt(900)) {
      if (round.isEmpty()) {
        round.addAll(sorts);
        Collections.shuffle(round, random);
      }
      int dice = random.nextInt(6);
      Sort sort = dice == 0 ? Sort.KILL : dice == 1 ? Sort.FREEZE : round.remove(0);
      plan.add(fault(random, at, sort, workers, 0));
    }
    return plan;
  }

  private static PlannedFault next(Random random, long at, int workers, int servers) {
    int server = random.nextBoolean() ? 0 : random.nextInt(servers);
    return fault(random, at, sort(random, server), workers, server);
  }

  private static PlannedFault fault(Random random, long at, Sort sort, int workers, int server) {
    boolean seconds = random.nextInt(8) == 0; // exceeds a command timeout or a lease
    long lasts = seconds ? 1_500 + random.nextInt(2_500) : 50 + random.nextInt(700);
    return new PlannedFault(
        at,
        sort,
        random.nextInt(workers),
        server,
        lasts,
        random.nextInt(1_000),
        500 + random.nextInt(5_500));
  }

  private static Sort sort(Random random, int server) {
    int dice = random.nextInt(20);
    if (dice < 8) {
      return LINKS.get(random.nextInt(LINKS.size()));
    }
    if (dice < 12) {
      return dice < 10 ? Sort.FREEZE : Sort.KILL;
    }
    if (dice < 14) {
      return OF_ALL_SERVERS.get(random.nextInt(OF_ALL_SERVERS.size()));
    }
    return server == 0
        ? OF_THE_MAIN_SERVER.get(random.nextInt(OF_THE_MAIN_SERVER.size()))
        : Sort.SERVER_AWAY;
  }

  /** The part that the fault disturbs. At most one fault disturbs a part at a time. */
  String target() {
    return switch (sort) {
      case KILL, FREEZE -> "worker " + worker;
      case CUT, HALF_OPEN, LATE_REPLIES, LOST_REPLIES, REFUSE -> "link " + worker + ' ' + server;
      default -> "server " + server;
    };
  }
}
