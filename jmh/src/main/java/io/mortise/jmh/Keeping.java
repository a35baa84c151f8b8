package io.mortise.jmh;

import static io.mortise.jmh.Plan.only;
import static io.mortise.jmh.contestant.Contestant.BARE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.BARE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.MORTISE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.REDISSON;
import static io.mortise.jmh.report.Target.atMost;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.IdleQuestion;
import io.mortise.jmh.drive.RenewalQuestion;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Quantity.Ratio;
import io.mortise.jmh.report.Target;
import java.util.List;
import java.util.function.Predicate;

/** The cost of locks while they are held, and of a service while it is not used. */
final class Keeping {
  private static final int MANY = 10_000;

  private Keeping() {}

  static void plan(Plan plan) {
    renewal(plan);
    clusterRenewal(plan);
    idle(plan);
  }

  private static void renewal(Plan plan) {
    List<Contestant> all = List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON);
    Predicate<Cell> many = cell -> cell.has("locks", MANY);
    Figure renewal =
        plan.ask(
            Asked.of(new RenewalQuestion(all, List.of(1, 100, MANY, 100_000), false))
                .some(many.or(only(MORTISE_JEDIS)))
                .first(only(MORTISE_JEDIS))
                .fewer(cell -> many.test(cell) ? 1 : 2));
    String title = "10,000 held locks, 5 ms round trip";
    for (Contestant each : all) {
      Figure figure = renewal.of(each).with("locks", MANY);
      plan.row(title + ", one renewal, s", figure, ours(each, 0.2));
      plan.row(title + ", commands", figure.metric("commands"), ours(each, 110));
      plan.row(title + ", lost", figure.metric("lost"), ours(each, 0));
    }
    plan.curve(
        renewal.metric("commands"),
        "locks",
        "held locks, one renewal",
        "commands",
        "Flat up to a hundred locks, which one command renews. Proportional from there, because every lease must be\nrenewed.");
    plan.curve(
        renewal,
        "locks",
        "held locks, one renewal, 5 ms round trip",
        "seconds",
        "Flat at the round trip while one command is enough. Beyond that, commands follow each other without a wait,\nand the time is the work of server and client.");
  }

  private static void clusterRenewal(Plan plan) {
    List<Contestant> all = List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON);
    Figure renewal = plan.ask(Asked.of(new RenewalQuestion(all, List.of(MANY), true)).lessOften());
    String title = "10,000 held locks on a cluster of 3 masters";
    for (Contestant each : all) {
      Figure figure = renewal.of(each);
      plan.row(title + ", one renewal, s", figure, ours(each, each == MORTISE_JEDIS ? 0.1 : 0.25));
      plan.row(title + ", commands", figure.metric("commands"), Target.NONE);
      plan.row(title + ", lost", figure.metric("lost"), ours(each, 0));
    }
    title += ", time of a renewal relative to Redisson";
    for (Contestant each : List.of(MORTISE_JEDIS, MORTISE_LETTUCE)) {
      plan.row(title, new Ratio(renewal.of(each), renewal.of(REDISSON)), atMost(0.2));
    }
  }

  private static void idle(Plan plan) {
    List<Contestant> all =
        List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, BARE_JEDIS, BARE_LETTUCE);
    String title = "an idle service";
    Figure idle =
        plan.ask(
            Asked.of(new IdleQuestion(all)).first(only(MORTISE_JEDIS, MORTISE_LETTUCE)).lessOften(),
            title,
            "wake-ups of its threads per second");
    for (Contestant each : all) {
      Figure figure = idle.of(each);
      plan.row(title + ", wake-ups per second", figure, ours(each, 0));
      plan.row(title + ", connections", figure.metric("connections"), ours(each, 2));
      plan.row(title + ", threads", figure.metric("threads"), Target.NONE);
    }
  }

  private static Target ours(Contestant contestant, double most) {
    boolean ours = contestant == MORTISE_JEDIS || contestant == MORTISE_LETTUCE;
    return ours ? atMost(most) : Target.NONE;
  }
}
