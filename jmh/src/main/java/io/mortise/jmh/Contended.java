package io.mortise.jmh;

import static io.mortise.jmh.Plan.only;
import static io.mortise.jmh.contestant.Contestant.JDK;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS_RETAINING;
import static io.mortise.jmh.contestant.Contestant.MORTISE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.REDISSON;
import static io.mortise.jmh.contestant.Contestant.REDISSON_SEMAPHORE;
import static io.mortise.jmh.contestant.Contestant.SPRING_PUBSUB;
import static io.mortise.jmh.contestant.Contestant.SPRING_SPIN;
import static io.mortise.jmh.report.Target.atLeast;
import static io.mortise.jmh.report.Target.atMost;

import io.mortise.jmh.contestant.ComparedLock;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.ChangeQuestion;
import io.mortise.jmh.drive.JmhQuestion;
import io.mortise.jmh.drive.Load;
import io.mortise.jmh.drive.ProcessQuestion;
import io.mortise.jmh.drive.ShardedQuestion;
import io.mortise.jmh.question.Claims;
import io.mortise.jmh.question.FairLock;
import io.mortise.jmh.question.Permits;
import io.mortise.jmh.question.SharedLock;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Quantity.Ratio;
import io.mortise.jmh.report.Quantity.Scaled;
import io.mortise.jmh.report.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The speed of several threads or processes that want the same lock. */
final class Contended {
  private static final List<Integer> WORKS = List.of(0, 20, 200, 2_000);
  private static final List<Contestant> WITH_QUEUE =
      List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON);
  private static final Predicate<Cell> FIRST =
      only(MORTISE_JEDIS, REDISSON).and(Contended::isEmpty);

  private Contended() {}

  static void plan(Plan plan) {
    shared(plan);
    fair(plan);
    permits(plan);
    claims(plan);
    newProcess(plan);
    processes(plan);
    fairProcesses(plan);
    posted(plan);
    server(plan);
  }

  private static void shared(Plan plan) {
    Contestant[] all = {MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, SPRING_PUBSUB, JDK};
    String title = "8 threads, 1 lock";
    Figure shared =
        plan.ask(
            Asked.of(new JmhQuestion(SharedLock.class))
                .some(only(all).or(Contended::isEmpty))
                .first(FIRST)
                .fewer(cell -> isEmpty(cell) ? 0 : 2),
            title,
            Plan.PAIRS);
    Figure empty = shared.with("work", 0);
    plan.compare(title + ", speed", empty, atLeast(1_000), REDISSON);
    plan.compare(title + ", speed", empty, atLeast(50), SPRING_SPIN, SPRING_PUBSUB);
    plan.compare(title + ", speed", empty, atLeast(0.1), JDK);
    ideal(plan, title, shared, all);
  }

  private static void fair(Plan plan) {
    String title = "fair, 8 threads, 1 lock";
    Figure fair =
        plan.ask(
            Asked.of(new JmhQuestion(FairLock.class)).first(FIRST).lessOften(), title, Plan.PAIRS);
    plan.compare(title + ", speed", fair, atLeast(4), REDISSON);
    plan.compare(title + ", speed", fair.of(MORTISE_LETTUCE), atLeast(4), REDISSON);
  }

  /** Mortise's permits are leases, as are those of one of Redisson's two semaphores. */
  private static void permits(Plan plan) {
    String title = "semaphore, 8 threads, 4 permits";
    Figure permits =
        plan.ask(
            Asked.of(new JmhQuestion(Permits.class)).first(FIRST).lessOften(),
            title,
            "permits per second");
    for (Contestant each : List.of(MORTISE_JEDIS, MORTISE_LETTUCE)) {
      plan.compare(title + ", speed", permits.of(each), atLeast(20), REDISSON, REDISSON_SEMAPHORE);
    }
  }

  private static void claims(Plan plan) {
    String title = "8 async acquisitions, 1 lock";
    Figure claims =
        plan.ask(
            Asked.of(new JmhQuestion(Claims.class)).first(FIRST).lessOften(), title, Plan.PAIRS);
    for (Contestant each : List.of(MORTISE_JEDIS, MORTISE_LETTUCE)) {
      plan.compare(title + ", speed", claims.of(each), atLeast(20), REDISSON);
    }
  }

  /** The speed of a process before its code is compiled. */
  private static void newProcess(Plan plan) {
    List<Contestant> all = List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, SPRING_PUBSUB);
    Load load = new Load(Load.Kind.PLAIN, 1, 8);
    Figure first =
        plan.ask(
                Asked.of(new ProcessQuestion("NewProcess", load, "work", List.of(0), all))
                    .first(FIRST)
                    .lessOften())
            .metric(ProcessQuestion.FIRST_SECOND);
    String title = "8 threads, 1 lock, the first second of a new process";
    plan.compare(title, first, Target.NONE, REDISSON, SPRING_PUBSUB);
    plan.compare(title, first.of(MORTISE_LETTUCE), Target.NONE, REDISSON, SPRING_PUBSUB);
  }

  /** What a change of process costs the server. Redisson changes less often. */
  private static void server(Plan plan) {
    Figure change =
        plan.ask(
            Asked.of(new ChangeQuestion(List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON)))
                .first(cell -> cell.has(ChangeQuestion.LOCK, ComparedLock.PLAIN.title()))
                .apart(),
            "server time of a change of process",
            "µs in scripts");
    Map<String, Target> targets = new LinkedHashMap<>();
    targets.put(ComparedLock.PLAIN.title(), atMost(0.7));
    targets.put(ComparedLock.FAIR.title(), atMost(0.9));
    targets.put(ComparedLock.WRITE.title(), Target.NONE);
    targets.put(ChangeQuestion.PERMIT, Target.NONE);
    targets.forEach((lock, target) -> {
      String title = "server time of a change of process, " + lock;
      Figure one = change.with(ChangeQuestion.LOCK, lock);
      for (Contestant each : List.of(MORTISE_JEDIS, MORTISE_LETTUCE)) {
        plan.row(title, new Ratio(one.of(each), one.of(REDISSON)), target);
      }
    });
  }

  /** How often the lock changes to the other process. A pair alone does not need such a change. */
  private static void changes(Plan plan, String title, Figure speed, Target jedis, Target lettuce) {
    Figure changes = speed.metric(ProcessQuestion.CHANGES);
    plan.compare(title + ", changes of process", changes, jedis, REDISSON);
    plan.compare(title + ", changes of process", changes.of(MORTISE_LETTUCE), lettuce, REDISSON);
  }

  private static void processes(Plan plan) {
    List<Contestant> all =
        List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, SPRING_SPIN, SPRING_PUBSUB);
    Contestant[] atWork = {MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, SPRING_PUBSUB};
    String title = "2 JVMs × 4 threads, 1 lock";
    Load load = new Load(Load.Kind.PLAIN, 2, 4);
    Figure four =
        plan.ask(
            Asked.of(new ProcessQuestion("TwoByFour", load, "work", WORKS, all))
                .some(only(atWork).or(Contended::isEmpty))
                .first(FIRST)
                .fewer(cell -> isEmpty(cell) ? 0 : 2),
            title,
            Plan.PAIRS);
    Figure empty = four.with("work", 0);
    plan.compare(title + ", speed", empty, atLeast(200), REDISSON);
    plan.compare(title + ", speed", empty.of(MORTISE_LETTUCE), Target.NONE, REDISSON);
    changes(plan, title, empty, Target.NONE, Target.NONE);
    plan.row(title + ", smaller share of a JVM", empty.metric("smallest share"), atLeast(0.35));
    for (Contestant each : List.of(MORTISE_JEDIS, REDISSON)) {
      plan.row(
          title + ", waiting, p99.9, ms", empty.of(each).metric("wait p99.9, ms"), Target.NONE);
    }
    ideal(plan, title, four, atWork);

    title = "2 JVMs × 1 thread, 1 lock";
    load = new Load(Load.Kind.PLAIN, 2, 1);
    List<Contestant> both = new ArrayList<>(WITH_QUEUE);
    both.add(MORTISE_JEDIS_RETAINING);
    Asked one = Asked.of(new ProcessQuestion("TwoByOne", load, "work", List.of(0), both));
    Figure speed = plan.ask(one.first(FIRST), title, Plan.PAIRS);
    for (Contestant each : List.of(MORTISE_JEDIS, MORTISE_LETTUCE)) {
      plan.compare(title + ", speed", speed.of(each), atLeast(1.5), REDISSON);
    }
    plan.compare(title + ", speed", speed.of(MORTISE_JEDIS_RETAINING), atLeast(0.9), MORTISE_JEDIS);
    changes(plan, title, speed, atLeast(5), atLeast(3));
  }

  private static void fairProcesses(Plan plan) {
    for (int threads : new int[] {1, 4}) {
      String title = "fair, 2 JVMs × " + threads + ", 1 lock";
      String id = threads == 1 ? "FairTwoByOne" : "FairTwoByFour";
      Load load = new Load(Load.Kind.FAIR, 2, threads);
      Asked fair = Asked.of(new ProcessQuestion(id, load, "work", List.of(0), WITH_QUEUE));
      Figure speed = plan.ask(fair.first(FIRST).lessOften(), title, Plan.PAIRS);
      plan.compare(title + ", speed", speed, atLeast(8), REDISSON);
      plan.compare(title + ", speed", speed.of(MORTISE_LETTUCE), Target.NONE, REDISSON);
      changes(plan, title, speed, Target.NONE, Target.NONE);
      plan.row(title + ", smaller share of a JVM", speed.metric("smallest share"), Target.NONE);
    }
  }

  /** Who sends the messages: the scripts, or each process those of its scripts. */
  private static void posted(Plan plan) {
    List<Contestant> both = List.of(MORTISE_JEDIS, MORTISE_LETTUCE);
    Load load = new Load(Load.Kind.PLAIN, 2, 1);
    Predicate<Cell> none = cell -> false; // a quick run leaves it out
    String title = "2 JVMs × 1 thread, 1 lock, a cluster behind proxies";
    Asked published =
        Asked.of(
            new ShardedQuestion(
                new ProcessQuestion("Published", load, "work", List.of(1_000), both), false));
    Asked posted =
        Asked.of(
            new ShardedQuestion(
                new ProcessQuestion("Posted", load, "work", List.of(1_000), both), true));
    Figure before = plan.ask(published.lessOften().first(none), title, Plan.PAIRS);
    Figure after =
        plan.ask(posted.lessOften().first(none), title + " that shards PUBLISH", Plan.PAIRS);
    for (Contestant each : both) {
      plan.row(
          title + ", sharded PUBLISH, speed",
          new Ratio(after.of(each), before.of(each)),
          Target.NONE);
      String wait = "wait p50, ms";
      plan.row(title + ", waiting, median, ms", before.of(each).metric(wait), Target.NONE);
      plan.row(
          title + ", sharded PUBLISH, waiting, median, ms",
          after.of(each).metric(wait),
          Target.NONE);
    }
  }

  private static boolean isEmpty(Cell cell) {
    return cell.has("work", 0);
  }

  /** The share of time in which protected work runs. Ideally, work follows work without a gap. */
  private static void ideal(Plan plan, String title, Figure figure, Contestant... contestants) {
    for (int work : WORKS.subList(1, WORKS.size())) {
      for (Contestant each : contestants) {
        Figure speed = figure.of(each).with("work", work);
        String what = "%s, %,d µs of work, share of the ideal".formatted(title, work);
        plan.row(what, new Scaled(speed, work / 1e6), Target.NONE);
      }
    }
  }
}
