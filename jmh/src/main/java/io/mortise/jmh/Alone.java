package io.mortise.jmh;

import static io.mortise.jmh.Plan.not;
import static io.mortise.jmh.Plan.only;
import static io.mortise.jmh.contestant.Contestant.BARE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.BARE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.JDK;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS_RETAINING;
import static io.mortise.jmh.contestant.Contestant.MORTISE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.MORTISE_LETTUCE_RETAINING;
import static io.mortise.jmh.contestant.Contestant.MORTISE_MEMORY;
import static io.mortise.jmh.contestant.Contestant.REDISSON;
import static io.mortise.jmh.contestant.Contestant.SPRING_PUBSUB;
import static io.mortise.jmh.contestant.Contestant.SPRING_SPIN;
import static io.mortise.jmh.report.Target.atLeast;
import static io.mortise.jmh.report.Target.atMost;
import static io.mortise.jmh.report.Target.ofFloor;

import io.mortise.jmh.contestant.ComparedLock;
import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.JmhQuestion;
import io.mortise.jmh.drive.ProcessorTime;
import io.mortise.jmh.drive.RedLockQuestion;
import io.mortise.jmh.drive.ServerQuestion;
import io.mortise.jmh.question.ClusterLocks;
import io.mortise.jmh.question.HomeLocks;
import io.mortise.jmh.question.ManyLocks;
import io.mortise.jmh.question.NestedLock;
import io.mortise.jmh.question.NewNames;
import io.mortise.jmh.question.OwnLock;
import io.mortise.jmh.question.ReadLock;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Quantity.Ratio;
import io.mortise.jmh.report.Quantity.Scaled;
import io.mortise.jmh.report.Target;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The cost of a lock without contention. */
final class Alone {
  private Alone() {}

  static void plan(Plan plan) {
    own(plan);
    retained(plan);
    many(plan);
    cluster(plan);
    nested(plan);
    server(plan);
    reading(plan);
    red(plan);
  }

  /** Adds a row for each client: Mortise on that client, relative to the bare client. */
  private static void besideBare(Plan plan, String title, Figure figure, Target target) {
    plan.compare(title, figure, target, BARE_JEDIS);
    plan.compare(title, figure.of(MORTISE_LETTUCE), target, BARE_LETTUCE);
  }

  private static void own(Plan plan) {
    Figure own =
        plan.ask(
            Asked.of(new JmhQuestion(OwnLock.class))
                .first(not(SPRING_SPIN, SPRING_PUBSUB))
                .pinned(not(MORTISE_MEMORY)), // it has no server
            "1 thread, its own lock",
            Plan.PAIRS);
    String title = "1 thread, its own lock, speed";
    besideBare(plan, title, own, ofFloor(0.92));
    plan.compare(
        title, own.of(MORTISE_LETTUCE), Target.AHEAD, REDISSON, SPRING_SPIN, SPRING_PUBSUB);
    retaining(plan, "1 thread, the same lock again and again, retained, speed", own, 100);
    Figure cpu = own.metric(ProcessorTime.MICROS);
    title = "processor time of the client for a pair";
    besideBare(plan, title, cpu, Target.NONE);
    plan.compare(title, cpu.of(MORTISE_LETTUCE), Target.NONE, REDISSON);
    Figure both = own.metric(ProcessorTime.ALL_MICROS);
    title = "processor time of client and server for a pair";
    besideBare(plan, title, both, Target.NONE);
    plan.compare(title, both.of(MORTISE_LETTUCE), Target.NONE, REDISSON);
    Figure bytes = own.metric("gc.alloc.rate.norm");
    title = "bytes allocated for a pair";
    besideBare(plan, title, bytes, atMost(1.5));
    plan.row(
        "1 thread, 1,000 pairs per second", new Scaled(own.of(MORTISE_MEMORY), 1e-3), atLeast(150));
  }

  /** Adds a row for each client: a service that retains locks, relative to the bare client. */
  private static void retaining(Plan plan, String title, Figure figure, double least) {
    plan.compare(title, figure.of(MORTISE_JEDIS_RETAINING), atLeast(least), BARE_JEDIS);
    plan.compare(title, figure.of(MORTISE_LETTUCE_RETAINING), atLeast(least), BARE_LETTUCE);
  }

  /** What a service that retains locks gains besides. */
  private static void retained(Plan plan) {
    Predicate<Cell> some = only(MORTISE_JEDIS_RETAINING, BARE_JEDIS);
    Figure fresh =
        plan.ask(
            Asked.of(new JmhQuestion(NewNames.class)).first(some).lessOften(),
            "1 thread, a new name each time",
            Plan.PAIRS);
    retaining(plan, "1 thread, a new name each time, retained, speed", fresh, 1.6);
    Figure home =
        plan.ask(
            Asked.of(new JmhQuestion(HomeLocks.class)).first(some).lessOften(),
            "16 threads, 1,000 names, 9 of 10 pairs on 50 of its own",
            Plan.PAIRS);
    retaining(
        plan, "16 threads, 1,000 names, 9 of 10 pairs on 50 of its own, retained, speed", home, 5);
  }

  private static void many(Plan plan) {
    Figure many =
        plan.ask(
            Asked.of(new JmhQuestion(ManyLocks.class))
                .first(not(MORTISE_MEMORY, SPRING_SPIN, SPRING_PUBSUB)),
            "16 threads, 16 locks",
            Plan.PAIRS);
    String title = "16 threads, 16 locks, speed";
    besideBare(plan, title, many, atLeast(0.9));
    plan.compare(
        title, many.of(MORTISE_LETTUCE), Target.AHEAD, REDISSON, SPRING_SPIN, SPRING_PUBSUB);
    Figure cpu = many.metric(ProcessorTime.MICROS);
    title = "16 threads, 16 locks, processor time of the client for a pair";
    besideBare(plan, title, cpu, Target.NONE);
  }

  private static void cluster(Plan plan) {
    Figure cluster =
        plan.ask(
            Asked.of(new JmhQuestion(ClusterLocks.class)).lessOften(),
            "16 threads, 992 locks on a cluster of 3 masters",
            Plan.PAIRS);
    String title = "cluster of 3 masters, 16 threads, 992 locks, speed";
    besideBare(plan, title, cluster, atLeast(0.9));
    plan.compare(title, cluster.of(MORTISE_LETTUCE), Target.AHEAD, REDISSON);
  }

  private static void nested(Plan plan) {
    Figure nested =
        plan.ask(
            Asked.of(new JmhQuestion(NestedLock.class)).first(not(SPRING_PUBSUB)).lessOften(),
            "nested, 1 thread",
            Plan.PAIRS);
    plan.compare("nested, 1 thread, speed", nested, atLeast(500), REDISSON);
    plan.compare("nested, 1 thread, speed", nested, atLeast(0.1), JDK);
  }

  private static void server(Plan plan) {
    Figure server =
        plan.ask(
            Asked.of(new ServerQuestion()).pinned(cell -> true),
            "server time of a pair",
            "µs in scripts");
    Figure times = server.metric(ServerQuestion.OF_BARE);
    Map<ComparedLock, Target> targets = new EnumMap<>(ComparedLock.class);
    targets.put(ComparedLock.PLAIN, atMost(1.1));
    targets.put(ComparedLock.FAIR, atMost(1.1));
    targets.put(ComparedLock.READ, atMost(1.2));
    targets.put(ComparedLock.WRITE, atMost(1.4));
    targets.forEach((lock, target) -> {
      String title = "server time of a pair, relative to bare Jedis, " + lock.title();
      Figure one = times.with(ServerQuestion.LOCK, lock.title());
      plan.row(title, one, target);
      plan.row(title, one.of(REDISSON), Target.NONE);
    });
  }

  /** Sixteen readers can share one hold. The bare client has a lock for each of them. */
  private static void reading(Plan plan) {
    Figure reading =
        plan.ask(
            Asked.of(new JmhQuestion(ReadLock.class))
                .first(only(MORTISE_JEDIS, BARE_JEDIS).and(Alone::reader))
                .pinned(Alone::reader),
            "a read lock, without writers",
            Plan.PAIRS);
    String title = "read lock, 1 reader, speed";
    Figure one = reading.with("threads", 1);
    besideBare(plan, title, one, ofFloor(0.9));
    plan.compare(title, one, Target.NONE, REDISSON);
    Figure both = one.metric(ProcessorTime.ALL_MICROS);
    title = "read lock, 1 reader, processor time of client and server for a pair";
    besideBare(plan, title, both, Target.NONE);
    title = "read lock, 16 readers, speed";
    Figure sixteen = reading.with("threads", 16);
    besideBare(plan, title, sixteen, atLeast(5));
    plan.compare(title, sixteen, Target.NONE, REDISSON);
  }

  private static boolean reader(Cell cell) {
    return cell.has("threads", 1);
  }

  private static void red(Plan plan) {
    Figure red =
        plan.ask(
            Asked.of(
                    new RedLockQuestion(
                        List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON), List.of(1, 3, 5, 7, 9)))
                .some(not(MORTISE_LETTUCE).or(Alone::judged))
                .first(only(MORTISE_JEDIS))
                .fewer(cell -> judged(cell) ? 0 : 2));
    String title = "Redlock of 5 servers, 2 ms away, time of a pair relative to a plain lock";
    for (var each : List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON)) {
      Figure five = red.of(each).with("nodes", 5);
      Target target = each == REDISSON ? Target.NONE : atMost(1.25);
      plan.row(title, new Ratio(five, red.of(each).with("nodes", 1)), target);
    }
    plan.curve(
        red,
        "nodes",
        "Redlock, each server 2 ms away (with one server: a plain lock)",
        "ms for a pair",
        "Flat if the members are asked at the same time. A pair then takes as long as the slowest member of\nthe fastest majority.");
  }

  private static boolean judged(Cell cell) {
    return cell.has("nodes", 1) || cell.has("nodes", 5);
  }
}
