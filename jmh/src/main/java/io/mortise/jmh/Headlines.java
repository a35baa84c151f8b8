package io.mortise.jmh;

import static io.mortise.jmh.contestant.Contestant.BARE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.BARE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.JDK;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS_RETAINING;
import static io.mortise.jmh.contestant.Contestant.MORTISE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.MORTISE_LETTUCE_RETAINING;
import static io.mortise.jmh.contestant.Contestant.REDISSON;
import static io.mortise.jmh.contestant.Contestant.SPRING_PUBSUB;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.report.Headline;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Quantity.Ratio;
import io.mortise.jmh.report.Quantity.Scaled;
import java.util.List;

/** The rows of the short page, which a reader decides by. Each quantity is one of the long page. */
final class Headlines {
  private Headlines() {}

  static List<Headline> all() {
    Figure own = new Figure("OwnLock", MORTISE_JEDIS);
    Figure shared = new Figure("SharedLock", MORTISE_JEDIS);
    Figure many = new Figure("ManyLocks", MORTISE_JEDIS);
    Figure four = new Figure("TwoByFour", MORTISE_JEDIS).with("work", 0);
    Figure idle = new Figure("Idle", MORTISE_JEDIS);
    return List.of(
        bare("1 thread, its own lock", own),
        retained("1 thread, the same lock again and again, with `retain`", own),
        bare("16 threads, 16 locks", many),
        new Headline("the same", "Redisson", null, ratio(many.of(MORTISE_LETTUCE), REDISSON)),
        bare(
            "16 threads, 992 locks on a cluster of 3 masters",
            new Figure("ClusterLocks", MORTISE_JEDIS)),
        jedis("8 threads, 1 lock", "Redisson", shared.with("work", 0), REDISSON),
        jedis("the same", "Spring, pub/sub", shared.with("work", 0), SPRING_PUBSUB),
        jedis("the same", "`ReentrantLock`", shared.with("work", 0), JDK),
        ideal("8 threads, 1 lock, 20 µs of work, share of the ideal", shared.with("work", 20)),
        bare("16 readers", new Figure("ReadLock", MORTISE_JEDIS).with("threads", 16)),
        redisson("fair, 8 threads, 1 lock", new Figure("FairLock", MORTISE_JEDIS)),
        redisson("semaphore, 8 threads, 4 permits", new Figure("Permits", MORTISE_JEDIS)),
        redisson("8 async acquisitions, 1 lock", new Figure("Claims", MORTISE_JEDIS)),
        redisson("2 JVMs × 4 threads, 1 lock", four),
        redisson("2 JVMs × 1 thread, 1 lock", new Figure("TwoByOne", MORTISE_JEDIS)),
        redisson("fair, 2 JVMs × 4 threads, 1 lock", new Figure("FairTwoByFour", MORTISE_JEDIS)),
        red(new Figure("RedLock", MORTISE_JEDIS)),
        bare("bytes allocated for a pair", own.metric("gc.alloc.rate.norm")),
        alone(
            "10,000 held locks, 5 ms away, one renewal, seconds",
            new Figure("Renewal", MORTISE_JEDIS).with("locks", 10_000)),
        alone("an idle service, connections", idle.metric("connections")));
  }

  private static Ratio ratio(Figure subject, Contestant base) {
    return new Ratio(subject, subject.of(base));
  }

  private static Headline bare(String question, Figure figure) {
    return new Headline(
        question,
        "the bare client",
        ratio(figure, BARE_JEDIS),
        ratio(figure.of(MORTISE_LETTUCE), BARE_LETTUCE));
  }

  private static Headline retained(String question, Figure figure) {
    return new Headline(
        question,
        "the bare client",
        ratio(figure.of(MORTISE_JEDIS_RETAINING), BARE_JEDIS),
        ratio(figure.of(MORTISE_LETTUCE_RETAINING), BARE_LETTUCE));
  }

  private static Headline redisson(String question, Figure figure) {
    return new Headline(
        question, "Redisson", ratio(figure, REDISSON), ratio(figure.of(MORTISE_LETTUCE), REDISSON));
  }

  private static Headline jedis(String question, String of, Figure figure, Contestant base) {
    return new Headline(question, of, ratio(figure, base), null);
  }

  private static Headline ideal(String question, Figure figure) {
    return new Headline(
        question,
        "",
        new Scaled(figure, 20 / 1e6),
        new Scaled(figure.of(MORTISE_LETTUCE), 20 / 1e6));
  }

  /** The time of a Redlock's pair is as long as one of a plain lock, or so many times. */
  private static Headline red(Figure red) {
    Figure other = red.of(MORTISE_LETTUCE);
    return new Headline(
        "Redlock of 5 servers, 2 ms away, time of a pair",
        "a plain lock",
        new Ratio(red.with("nodes", 5), red.with("nodes", 1)),
        new Ratio(other.with("nodes", 5), other.with("nodes", 1)));
  }

  private static Headline alone(String question, Figure figure) {
    return new Headline(question, "", figure, figure.of(MORTISE_LETTUCE));
  }
}
