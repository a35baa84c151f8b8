package io.mortise.jmh;

import static io.mortise.jmh.Plan.not;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.MORTISE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.REDISSON;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.drive.Load;
import io.mortise.jmh.drive.ProcessQuestion;
import io.mortise.jmh.drive.QueueQuestion;
import io.mortise.jmh.report.Quantity.Figure;
import java.util.List;

/** How cost grows with threads, processes, names and waiters: one round each, few points. */
final class Growth {
  private static final List<Contestant> TWO = List.of(MORTISE_JEDIS, REDISSON);
  private static final List<Contestant> ALL = List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON);
  private static final List<Integer> THREADS = List.of(1, 4, 16, 64);

  private Growth() {}

  static void plan(Plan plan) {
    loads(plan);
    queue(plan);
  }

  private static void loads(Plan plan) {
    load(
        plan,
        new ProcessQuestion("OneLock", new Load(Load.Kind.PLAIN, 1, 1), "threads", THREADS, TWO),
        "1 JVM, 1 lock",
        "Flat from two threads on: they pass the lock on among themselves inside the JVM, with one command in so many turns, whatever their number.");
    load(
        plan,
        new ProcessQuestion("OwnLocks", new Load(Load.Kind.OWN, 1, 1), "threads", THREADS, ALL),
        "1 JVM, a lock for each thread",
        "Grows until the processors, or the client's connections, are busy; flat from there on, since locks of different names share nothing.");
    load(
        plan,
        new ProcessQuestion(
            "Processes", new Load(Load.Kind.PLAIN, 1, 1), "JVMs", List.of(1, 2, 4, 8), TWO),
        "JVMs of 1 thread, 1 lock",
        "A release wakes the one whose turn it is, and no other, so what is sent is the same from two JVMs on. With more JVMs than processors it falls all the same: each turn waits until its JVM is given one.");
    load(
        plan,
        new ProcessQuestion(
            "Names",
            new Load(Load.Kind.PLAIN, 2, 4),
            "names",
            List.of(1, 10, 100, 1_000, 10_000),
            TWO),
        "2 JVMs × 4 threads, chosen from so many locks",
        "Flat from a hundred names on, where threads rarely meet: each pair then is two commands. A single name is quicker than a few, since its waiters pass it on inside a JVM.");
  }

  private static void load(Plan plan, ProcessQuestion question, String title, String expected) {
    Figure speed = plan.ask(Asked.of(question).once());
    plan.curve(speed, question.setting(), title, Plan.PAIRS, expected);
  }

  /** Redisson is not asked with a thousand: it takes too long to come to the end of such a line. */
  private static void queue(Plan plan) {
    Asked asked = Asked.of(new QueueQuestion(ALL, List.of(1, 10, 100, 1_000)));
    Figure queue =
        plan.ask(asked.some(not(REDISSON).or(cell -> !cell.has("waiters", 1_000))).once());
    plan.curve(
        queue,
        "waiters",
        "a hand-over of a fair lock",
        "µs of the server in scripts",
        "Flat: the first of the line is found without a look at the others.");
    plan.curve(
        queue.metric(QueueQuestion.SCRIPTS),
        "waiters",
        "a hand-over of a fair lock",
        "scripts",
        "Flat: only the one whose turn it is sends anything. What is above that are waiters who ask again now and then, in case a message was lost.");
  }
}
