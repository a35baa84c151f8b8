package io.mortise.internal.composite;

import io.mortise.internal.lock.Member;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;

/**
 * The time of the first of several members. A thread may park only if it may with each of them: it
 * waits for the replies of all.
 *
 * @param members at least one
 */
record MemberTime(List<Member> members) implements TimeSource {
  private TimeSource first() {
    return members.get(0).time();
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
    members.forEach(each -> each.time().checkMayPark());
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
