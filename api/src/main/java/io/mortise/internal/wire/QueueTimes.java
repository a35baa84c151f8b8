package io.mortise.internal.wire;

import java.time.Duration;

/**
 * The times of the queue protocol, and the rules between them. T is the command timeout. D is the
 * largest one-way delay that must cause nothing worse than waiting: 400 ms.
 *
 * <ul>
 *   <li>C &gt; 2 D. Otherwise every grant ends before its confirmation arrives: a livelock without
 *       any fault.
 *   <li>R + 2 D &lt; C. Then a lost message costs a re-check, and not the place in the queue.
 *   <li>A ≥ 2 R + T and A ≥ C + R. Otherwise live waiters count as gone.
 * </ul>
 *
 * @param recheck R, the time after which a waiter asks again
 * @param grantWindow C, the time within which a granted waiter confirms
 * @param alive A, the time after which a waiter that did not ask again counts as gone
 */
public record QueueTimes(Duration recheck, Duration grantWindow, Duration alive) {
  /**
   * How long an attempt that does not wait gives a service to give back what no thread of it uses.
   * As in asking.lua. With a shorter time than four one-way delays, it is refused what is free.
   * Where the service sends the messages of scripts, with a shorter time than five.
   */
  public static final Duration RECALL = Duration.ofMillis(100);

  public static QueueTimes standard(Duration commandTimeout) {
    Duration alive = Duration.ofSeconds(8).plus(commandTimeout);
    return new QueueTimes(Duration.ofSeconds(2), Duration.ofSeconds(3), alive);
  }
}
