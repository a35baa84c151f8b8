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
  private final List<Member> members;

  /**
   * Creates it.
   *
   * @param members at least one
   */
  MemberTime(List<Member> members) {
    this.members = members;
  }

  @Override
  protected TimeSource target() {
    return members.get(0).time();
  }

  @Override
  public void checkMayPark() {
    members.forEach(each -> each.time().checkMayPark());
  }
}
