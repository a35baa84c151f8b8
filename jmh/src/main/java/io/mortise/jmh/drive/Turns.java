package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import io.mortise.jmh.question.Steadiness;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * One process in which all contestants alternate every second. They do so until each is warm, and
 * then until each has been measured a number of times. Disturbances of the machine and the JVM meet
 * all of them alike.
 */
public final class Turns {
  static final String TURN = "TURN";
  private static final long TURN_MILLIS = 1_000;

  private final Scene scene;
  private final Map<Contestant, Site> sites = new LinkedHashMap<>();

  private Turns(Scene scene) {
    this.scene = scene;
  }

  /**
   * Runs the process; {@link TurnsQuestion} starts it.
   *
   * @param words scene, server, least seconds of warm-up, number of measurements, contestants
   * @throws Exception a contestant failed
   */
  public static void main(String[] words) throws Exception {
    Turns turns = new Turns(Scene.valueOf(words[0]));
    for (String contestant : List.of(words).subList(4, words.length)) {
      Contestant each = Contestant.valueOf(contestant);
      turns.sites.put(each, each.open(URI.create(words[1])));
    }
    turns.warmUp(Duration.ofSeconds(Long.parseLong(words[2])));
    turns.measure(Integer.parseInt(words[3]), System.out);
    System.exit(0); // ends all threads that a contestant has left
  }

  /** A contestant that is warm goes on working while another is not. */
  private void warmUp(Duration least) throws Exception {
    Map<Contestant, Steadiness> speeds = new LinkedHashMap<>();
    for (Contestant each : sites.keySet()) {
      Duration slow = each.slowStart();
      speeds.put(each, new Steadiness(slow.compareTo(least) > 0 ? slow : least));
    }
    Set<Contestant> warm = EnumSet.noneOf(Contestant.class);
    while (!warm.containsAll(speeds.keySet())) {
      for (Map.Entry<Contestant, Steadiness> each : speeds.entrySet()) {
        if (each.getValue().add(turn(each.getKey()))) {
          warm.add(each.getKey());
        }
      }
    }
  }

  private void measure(int turns, PrintStream out) throws Exception {
    for (int i = 1; i <= turns; i++) {
      for (Contestant each : sites.keySet()) {
        out.println(TURN + ' ' + i + ' ' + each + ' ' + turn(each));
      }
    }
  }

  /** Lets the contestant work for a second. Returns its pairs in a second. */
  private double turn(Contestant contestant) throws Exception {
    Site site = Objects.requireNonNull(sites.get(contestant));
    List<Runner> runners = new ArrayList<>();
    LongAdder pairs = new LongAdder();
    for (int i = 0; i < scene.threads(); i++) {
      runners.add(new Runner(scene.pair(site, i), pairs));
    }
    long start = System.nanoTime();
    runners.forEach(Thread::start);
    Thread.sleep(TURN_MILLIS);
    double perSecond = pairs.sum() * 1e9 / (System.nanoTime() - start);
    runners.forEach(each -> each.end = true);
    for (Runner each : runners) {
      each.join();
    }
    return perSecond;
  }

  /** A thread that repeats its pair. */
  private static final class Runner extends Thread {
    private final Scene.Pair pair;
    private final LongAdder pairs;
    private volatile boolean end;

    Runner(Scene.Pair pair, LongAdder pairs) {
      this.pair = pair;
      this.pairs = pairs;
    }

    @Override
    public void run() {
      try {
        while (!end) {
          pair.run();
          pairs.increment();
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
