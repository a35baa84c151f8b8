package io.mortise.internal.composite;

import io.mortise.internal.lock.Member;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.TimeSource;
import java.util.List;

/**
 * The time of the first of several members. A thread may park only if it may with each of them: it
 * waits for the replies of all.
 */
final class MemberTime extends ForwardingTime {
  private final List<TimeSource> times;

  private MemberTime(List<TimeSource> times) {
    this.times = times;
  }

  /** Creates it for at least one member. */
  static MemberTime of(List<Member> members) {
    return new MemberTime(members.stream().map(Member::time).toList());
  }

  @Override
  protected TimeSource target() {
    return times.get(0);
  }

  @Override
  public void checkMayPark() {
    times.forEach(TimeSource::checkMayPark);
  }
}
