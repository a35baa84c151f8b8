package io.mortise.jmh;

import static io.mortise.jmh.contestant.Contestant.BARE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.BARE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static io.mortise.jmh.contestant.Contestant.MORTISE_LETTUCE;
import static io.mortise.jmh.contestant.Contestant.REDISSON;
import static io.mortise.jmh.contestant.Contestant.SPRING_PUBSUB;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.drive.Scene;
import io.mortise.jmh.drive.TurnsQuestion;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Target;
import java.util.List;

/** The second way to compare: all contestants alternate in one JVM, on any processor. */
final class ByTurns {
  private static final List<Contestant> WITH_FLOOR =
      List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, SPRING_PUBSUB, BARE_JEDIS, BARE_LETTUCE);
  private static final List<Contestant> READERS =
      List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, BARE_JEDIS, BARE_LETTUCE);
  private static final List<Contestant> LIBRARIES =
      List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON, SPRING_PUBSUB);
  private static final List<Contestant> TWO = List.of(MORTISE_JEDIS, MORTISE_LETTUCE, REDISSON);

  private ByTurns() {}

  static void plan(Plan plan) {
    compare(plan, Scene.OWN_LOCK, "1 thread, its own lock", WITH_FLOOR);
    compare(plan, Scene.MANY_LOCKS, "16 threads, 16 locks", WITH_FLOOR);
    compare(plan, Scene.SHARED_LOCK, "8 threads, 1 lock", LIBRARIES);
    compare(plan, Scene.FAIR_LOCK, "fair, 8 threads, 1 lock", TWO);
    compare(plan, Scene.PERMITS, "semaphore, 8 threads, 4 permits", TWO);
    compare(plan, Scene.READER, "read lock, 1 reader", READERS);
    compare(plan, Scene.READERS, "read lock, 16 readers", READERS);
  }

  private static void compare(Plan plan, Scene scene, String what, List<Contestant> all) {
    String title = what + ", alternating in one JVM";
    Figure speed =
        plan.ask(
            Asked.of(new TurnsQuestion(scene, all)).once().first(cell -> false), title, Plan.PAIRS);
    for (Contestant each : List.of(MORTISE_JEDIS, MORTISE_LETTUCE)) {
      Contestant floor = each == MORTISE_JEDIS ? BARE_JEDIS : BARE_LETTUCE;
      if (all.contains(floor)) {
        plan.compare(title, speed.of(each), Target.NONE, floor);
      }
      plan.compare(title, speed.of(each), Target.NONE, REDISSON);
      if (all.contains(SPRING_PUBSUB)) {
        plan.compare(title, speed.of(each), Target.NONE, SPRING_PUBSUB);
      }
    }
  }
}
