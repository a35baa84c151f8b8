package io.mortise.jmh;

import static io.mortise.jmh.contestant.Contestant.BARE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.BARE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.JDK;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.MORTISE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.MORTISE_MEMORY;
import static io.mortise.jmh.contestant.Contestant.REDISSON;
import static io.mortise.jmh.contestant.Contestant.SPRING_PUBSUB;
import static io.mortise.jmh.contestant.Contestant.SPRING_SPIN;
import static io.mortise.jmh.report.Target.atLeast;
import static io.mortise.jmh.report.Target.atMost;
import static io.mortise.jmh.report.Target.ofFloor;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.IdleQuestion;
import io.mortise.jmh.drive.JmhQuestion;
import io.mortise.jmh.drive.ProcessQuestion;
import io.mortise.jmh.drive.ProcessorTime;
import io.mortise.jmh.drive.Question;
import io.mortise.jmh.drive.RenewalQuestion;
import io.mortise.jmh.drive.ServerQuestion;
import io.mortise.jmh.question.FairLock;
import io.mortise.jmh.question.ManyLocks;
import io.mortise.jmh.question.NestedLock;
import io.mortise.jmh.question.OwnLock;
import io.mortise.jmh.question.SharedLock;
import io.mortise.jmh.report.Quantity;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Row;
import io.mortise.jmh.report.Target;
import io.mortise.jmh.report.Topic;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** What is asked, of whom, and what the answer must be. */
final class Plan {
  private static final String PAIRS = "lock and unlock, pairs per second";
  private static final List<Integer> WORKS = List.of(0, 20, 200, 2_000);

  private final List<Question> questions = new ArrayList<>();
  private final List<Topic> topics = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();

  Plan() {
    uncontended();
    contended();
    processes();
    keeping();
  }

  List<Question> questions() {
    return questions;
  }

  List<Topic> topics() {
    return topics;
  }

  List<Row> rows() {
    return rows;
  }

  // Nobody else wants the lock

  private void uncontended() {
    Figure own =
        ask(new JmhQuestion(OwnLock.class, not(SPRING_PUBSUB)), "1 thread, its own lock", PAIRS);
    String title = "1 thread, its own lock, speed";
    compare(title, own, ofFloor(0.92), BARE_JEDIS);
    compare(title, own.of(MORTISE_LETTUCE), ofFloor(0.92), BARE_LETTUCE);
    compare(title, own.of(MORTISE_LETTUCE), Target.AHEAD, REDISSON, SPRING_SPIN, SPRING_PUBSUB);
    Figure cpu = own.metric(ProcessorTime.MICROS);
    compare("processor time of the client for a pair", cpu, Target.NONE, BARE_JEDIS);
    compare(
        "processor time of the client for a pair",
        cpu.of(MORTISE_LETTUCE),
        Target.NONE,
        BARE_LETTUCE,
        REDISSON);
    Figure bytes = own.metric("gc.alloc.rate.norm");
    compare("bytes allocated for a pair", bytes, atMost(1.5), BARE_JEDIS);
    compare("bytes allocated for a pair", bytes.of(MORTISE_LETTUCE), atMost(1.5), BARE_LETTUCE);
    row(
        "1 thread, 1,000 pairs per second",
        new Quantity.Scaled(own.of(MORTISE_MEMORY), 1e-3),
        atLeast(150));

    Figure many =
        ask(
            new JmhQuestion(ManyLocks.class, not(MORTISE_MEMORY, SPRING_PUBSUB)),
            "16 threads, 16 locks",
            PAIRS);
    title = "16 threads, 16 locks, speed";
    compare(title, many, atLeast(0.9), BARE_JEDIS);
    compare(title, many.of(MORTISE_LETTUCE), atLeast(0.9), BARE_LETTUCE);
    compare(title, many.of(MORTISE_LETTUCE), Target.AHEAD, REDISSON, SPRING_SPIN, SPRING_PUBSUB);
    cpu = many.metric(ProcessorTime.MICROS);
    title = "16 threads, 16 locks, processor time of the client for a pair";
    compare(title, cpu, Target.NONE, BARE_JEDIS);
    compare(title, cpu.of(MORTISE_LETTUCE), Target.NONE, BARE_LETTUCE);

    Figure nested = ask(new JmhQuestion(NestedLock.class), "nested, 1 thread", PAIRS);
    title = "nested, 1 thread, speed";
    compare(title, nested, atLeast(500), REDISSON);
    compare(title, nested, atLeast(0.1), JDK);

    Figure server = ask(new ServerQuestion(), "what a pair costs the server", "µs in scripts");
    compare("time of the server for a pair", server, atMost(1.25), BARE_JEDIS);
  }

  // Many threads of one process want it

  private void contended() {
    Predicate<Cell> first =
        cell ->
            cell.has("work", "0")
                ? only(MORTISE_JEDIS, REDISSON, SPRING_PUBSUB).test(cell)
                : cell.has("work", "200") && only(MORTISE_JEDIS, REDISSON).test(cell);
    Figure shared = ask(new JmhQuestion(SharedLock.class, first), "8 threads, 1 lock", PAIRS);
    Figure empty = shared.with("work", 0);
    String title = "8 threads, 1 lock, speed";
    compare(title, empty, atLeast(100), REDISSON);
    compare(title, empty, atLeast(50), SPRING_SPIN, SPRING_PUBSUB);
    compare(title, empty, Target.NONE, JDK);
    ideal(
        "8 threads, 1 lock", shared, MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, SPRING_PUBSUB, JDK);

    Figure fair =
        ask(
            new JmhQuestion(FairLock.class, only(MORTISE_JEDIS, REDISSON)),
            "fair, 8 threads, 1 lock",
            PAIRS);
    compare("fair, 8 threads, 1 lock, speed", fair, atLeast(4), REDISSON);
    compare("fair, 8 threads, 1 lock, speed", fair.of(MORTISE_LETTUCE), atLeast(4), REDISSON);
  }

  // Many processes want it

  private void processes() {
    List<Contestant> all =
        List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, SPRING_SPIN, SPRING_PUBSUB);
    List<Contestant> haveFair = List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON);
    Predicate<Cell> first = only(MORTISE_JEDIS, REDISSON).and(cell -> cell.has("work", "0"));

    String title = "2 JVMs × 4 threads, 1 lock";
    Figure four = ask(new ProcessQuestion("TwoByFour", false, 4, all, WORKS, first), title, PAIRS);
    Figure empty = four.with("work", 0);
    compare(title + ", speed", empty, atLeast(200), REDISSON);
    row(title + ", smaller share of a JVM", empty.metric("smallest share"), atLeast(0.35));
    for (Contestant each : List.of(MORTISE_JEDIS, REDISSON)) {
      row(title + ", waiting, p99.9, ms", empty.of(each).metric("wait p99.9, ms"), Target.NONE);
    }
    ideal(title, four, MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, SPRING_PUBSUB);

    title = "2 JVMs × 1 thread, 1 lock";
    Figure one =
        ask(new ProcessQuestion("TwoByOne", false, 1, all, List.of(0), first), title, PAIRS);
    compare(title + ", speed", one, atLeast(6), REDISSON);

    for (int threads : new int[] {1, 4}) {
      title = "fair, 2 JVMs × " + threads + ", 1 lock";
      String id = threads == 1 ? "FairTwoByOne" : "FairTwoByFour";
      Figure fair =
          ask(new ProcessQuestion(id, true, threads, haveFair, List.of(0), first), title, PAIRS);
      compare(title + ", speed", fair, atLeast(8), REDISSON);
      row(title + ", smaller share of a JVM", fair.metric("smallest share"), Target.NONE);
    }
  }

  // While it is held, and while it is not

  private void keeping() {
    Predicate<Cell> first = only(MORTISE_JEDIS, REDISSON);
    String title = "10,000 held locks, 5 ms round trip";
    Figure renewal =
        ask(
            new RenewalQuestion(List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON), first),
            title,
            "seconds of sending in a third of a lease");
    for (Contestant each : List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON)) {
      boolean ours = each != REDISSON;
      row(title + ", one renewal, s", renewal.of(each), ours ? atMost(0.2) : Target.NONE);
      Figure figure = renewal.of(each);
      row(title + ", commands", figure.metric("commands"), ours ? atMost(110) : Target.NONE);
      row(title + ", lost", figure.metric("lost"), ours ? atMost(0) : Target.NONE);
    }

    title = "an idle service";
    Figure idle =
        ask(
            new IdleQuestion(
                List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, BARE_JEDIS, BARE_LETTUCE),
                only(MORTISE_JEDIS, MORTISE_LETTUCE)),
            title,
            "wake-ups of its threads per second");
    for (Contestant each :
        List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, BARE_JEDIS, BARE_LETTUCE)) {
      boolean ours = each == MORTISE_JEDIS || each == MORTISE_LETTUCE;
      row(title + ", wake-ups per second", idle.of(each), ours ? atMost(0) : Target.NONE);
      Figure figure = idle.of(each);
      row(title + ", connections", figure.metric("connections"), ours ? atMost(2) : Target.NONE);
      row(title + ", threads", figure.metric("threads"), Target.NONE);
    }
  }

  // How it is said

  /** Adds a question; its main figure, of Mortise on Jedis. */
  private Figure ask(Question question, String title, String unit) {
    questions.add(question);
    topics.add(new Topic(question.id(), title, unit));
    return new Figure(question.id(), MORTISE_JEDIS);
  }

  private void row(String title, Quantity quantity, Target target) {
    rows.add(new Row(title, quantity, target));
  }

  private void compare(String title, Figure subject, Target target, Contestant... bases) {
    for (Contestant base : bases) {
      row(title, new Quantity.Ratio(subject, subject.of(base)), target);
    }
  }

  /**
   * How much of the time the work inside goes on; the ideal is one after the other, without gap.
   */
  private void ideal(String title, Figure figure, Contestant... contestants) {
    for (int work : WORKS) {
      for (Contestant each : work == 0 ? new Contestant[0] : contestants) {
        Figure speed = figure.of(each).with("work", work);
        String what = "%s, %,d µs of work, share of the ideal".formatted(title, work);
        row(what, new Quantity.Scaled(speed, work / 1e6), Target.NONE);
      }
    }
  }

  private static Predicate<Cell> only(Contestant... contestants) {
    Set<Contestant> set = EnumSet.copyOf(List.of(contestants));
    return cell -> set.contains(cell.contestant());
  }

  private static Predicate<Cell> not(Contestant... contestants) {
    return only(contestants).negate();
  }
}
