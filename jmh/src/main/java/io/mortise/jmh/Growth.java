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
        "From two threads on, they hand the lock to each other inside the JVM, and a command is needed only once in\nmany hand-offs. More threads cost more switches of the processors.");
    load(
        plan,
        new ProcessQuestion("OwnLocks", new Load(Load.Kind.OWN, 1, 1), "threads", THREADS, ALL),
        "1 JVM, a lock for each thread",
        "Grows until the processors or the client's connections are busy, and is flat from there. Locks of different\nnames share nothing.");
    load(
        plan,
        new ProcessQuestion(
            "Processes", new Load(Load.Kind.PLAIN, 1, 1), "JVMs", List.of(1, 2, 4, 8), TWO),
        "JVMs of 1 thread, 1 lock",
        "A release wakes exactly one waiter, so the number of commands is the same from two JVMs on. With more JVMs\nthan processors the speed falls all the same, because the next JVM first waits for a processor.");
    load(
        plan,
        new ProcessQuestion(
            "Names",
            new Load(Load.Kind.PLAIN, 2, 4),
            "names",
            List.of(1, 10, 100, 1_000, 10_000),
            TWO),
        "2 JVMs × 4 threads, each pair on a random lock",
        "Flat from a hundred names on, where threads rarely meet and each pair is two commands. A single name is\nfaster than a few, because its waiters hand it to each other inside a JVM.");
  }

  private static void load(Plan plan, ProcessQuestion question, String title, String expected) {
    Figure speed = plan.ask(Asked.of(question).once());
    plan.curve(speed, question.setting(), title, Plan.PAIRS, expected);
  }

  /**
   * Redisson is not measured with a thousand waiters, because it takes too long to empty such a
   * queue.
   */
  private static void queue(Plan plan) {
    Asked asked = Asked.of(new QueueQuestion(ALL, List.of(1, 10, 100, 1_000)));
    Figure queue =
        plan.ask(asked.some(not(REDISSON).or(cell -> !cell.has("waiters", 1_000))).once());
    plan.curve(
        queue,
        "waiters",
        "one change of holder of a fair lock",
        "µs of the server in scripts",
        "Little more with a longer queue: the store finds the first waiter without a look at the others.");
    plan.curve(
        queue.metric(QueueQuestion.SCRIPTS),
        "waiters",
        "one change of holder of a fair lock",
        "scripts",
        "Flat: only the next waiter sends anything. The rest comes from waiters that ask again now and then, in case\na message was lost.");
  }
}
