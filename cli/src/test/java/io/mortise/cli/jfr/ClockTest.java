package io.mortise.cli.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.cli.jfr.Order.Busy;
import io.mortise.cli.jfr.Recorded.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What replies with the server's time, and the order of holds, say of a process's clock. */
class ClockTest {
  private static final long START = TimeUnit.SECONDS.toNanos(1_800_000_000L);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final long ROUND_TRIP = TimeUnit.MICROSECONDS.toNanos(600);

  private final Random random = new Random(7);

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Replies of ten minutes, one a second, to a process with this clock. */
  private List<Sample> samples(LongUnaryOperator local) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      long server = START + millis(1000L * i + random.nextInt(500));
      long there = random.nextLong(ROUND_TRIP / 4, ROUND_TRIP / 2);
      long back = random.nextLong(ROUND_TRIP / 4, ROUND_TRIP / 2);
      long sent = local.applyAsLong(server - there);
      samples.add(new Sample("web", "a", server, sent, local.applyAsLong(server + back)));
    }
    return samples;
  }

  private static void assertRight(Clock clock, LongUnaryOperator local, long server) {
    long found = clock.toServer(local.applyAsLong(server));
    long bound = clock.at(local.applyAsLong(server)).plusMinus();
    assertTrue(Math.abs(found - server) <= bound, () -> found - server + " ns is not " + bound);
    assertTrue(bound <= ROUND_TRIP, () -> "bound " + bound);
  }

  @ParameterizedTest
  @ValueSource(longs = {-5000, -1, 0, 1, 5000})
  void anOffsetIsFoundWithinTheRoundTrip(long millis) {
    LongUnaryOperator local = server -> server + millis(millis);
    Clock clock = Clock.of(samples(local));

    for (int minute = 0; minute < 10; minute++) {
      assertRight(clock, local, START + minute * MINUTE + millis(700));
    }
    assertEquals(List.of(), clock.settings());
  }

  @ParameterizedTest
  @ValueSource(longs = {-100, 100})
  void aDriftOfAHundredInAMillionIsFollowed(long perMillion) {
    LongUnaryOperator local =
        server -> server + millis(5000) + (server - START) / 1_000_000 * perMillion;
    Clock clock = Clock.of(samples(local));

    for (int minute = 0; minute < 10; minute++) {
      assertRight(clock, local, START + minute * MINUTE + millis(700));
    }
    assertEquals(List.of(), clock.settings());
  }

  @ParameterizedTest
  @ValueSource(longs = {-3000, 50, 7000})
  void aClockThatIsSetHasAnOffsetBeforeAndOneAfter(long millis) {
    long when = START + 5 * MINUTE;
    LongUnaryOperator local = server -> server + (server < when ? 0 : millis(millis));
    Clock clock = Clock.of(samples(local));

    assertEquals(1, clock.settings().size());
    assertRight(clock, local, START + 2 * MINUTE);
    assertRight(clock, local, START + 8 * MINUTE);
  }

  @Test
  void oneReplyWhoseTimeWasReadLateIsNoSetting() {
    List<Sample> samples = samples(server -> server);
    Sample right = samples.get(300);
    long late = millis(80);
    samples.set(
        300, new Sample("web", "a", right.server(), right.sent() + late, right.replied() + late));
    Clock clock = Clock.of(samples);

    assertEquals(List.of(), clock.settings());
    assertRight(clock, server -> server, right.server());
  }

  @Test
  void awayFromItsSamplesAnOffsetIsLessCertain() {
    Clock clock = Clock.of(samples(server -> server));
    long near = clock.at(START + 10 * MINUTE).plusMinus();
    long far = clock.at(START + 70 * MINUTE).plusMinus();
    assertTrue(far > near + millis(100), () -> far + " after " + near);
  }

  // The order of holds

  /** A process holds a lock each second for a while, and another one waits and gets it next. */
  private Clock.Offset ordered(long ahead) {
    List<Busy> own = new ArrayList<>();
    List<Busy> others = new ArrayList<>();
    long now = START;
    for (int i = 0; i < 30; i++) {
      long length = millis(200 + random.nextInt(300));
      own.add(new Busy(now - ahead, now + length - ahead));
      long granted = now + length + TimeUnit.MICROSECONDS.toNanos(300);
      others.add(new Busy(granted, granted));
      others.add(new Busy(granted, granted + millis(100 + random.nextInt(50))));
      now = granted + millis(400 + random.nextInt(300));
    }
    Order order = new Order();
    order.add(own, others);
    return order.offset();
  }

  @ParameterizedTest
  @ValueSource(longs = {-5000, 0, 3000})
  void theOrderOfHoldsBoundsAClockWithoutAnySample(long millis) {
    Clock.Offset found = ordered(millis(millis));
    assertTrue(
        Math.abs(found.ahead() - millis(millis)) < millis(5), () -> "found " + found.ahead());
  }

  @Test
  void nothingBoundsAClockThatSharesNoLock() {
    Clock.Offset found = new Order().offset();
    assertEquals(0, found.ahead());
    assertFalse(found.isBounded());
  }
}
