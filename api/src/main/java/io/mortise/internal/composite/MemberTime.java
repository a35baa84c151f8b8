package io.mortise.internal.composite;

import io.mortise.internal.lock.Member;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;

/**
 * The time of the first of several members. A thread may park only if it may with each of them: it
 * waits for the replies of all.
 *
 * @param times those of the members, at least one
 */
record MemberTime(List<TimeSource> times) implements TimeSource {
  static MemberTime of(List<Member> members) {
    return new MemberTime(members.stream().map(Member::time).toList());
  }

  private TimeSource first() {
    return times.get(0);
  }

  @Override
  public long nanoTime() {
    return first().nanoTime();
  }

  @Override
  public long currentTimeMillis() {
    return first().currentTimeMillis();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    first().parkNanos(blocker, nanos);
  }

  @Override
  public void checkMayPark() {
    times.forEach(TimeSource::checkMayPark);
  }

  @Override
  public void unpark(Thread thread) {
    first().unpark(thread);
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    return first().schedule(task, delay);
  }
}
