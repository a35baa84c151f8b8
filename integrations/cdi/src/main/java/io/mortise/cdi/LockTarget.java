package io.mortise.cdi;

import io.mortise.LeasedLock;
import io.mortise.MultiLock;
import java.util.List;

/**
 * One lock, or several as one.
 *
 * @param lock what is acquired
 * @param members the lock itself, or the members of the multi-lock
 */
record LockTarget(LeasedLock lock, List<? extends LeasedLock> members) {
  /** One lock, or all or none of several. */
  static LockTarget of(List<? extends LeasedLock> members) {
    return new LockTarget(
        members.size() == 1 ? members.get(0) : MultiLock.of(members.toArray(LeasedLock[]::new)),
        members);
  }

  /** The name for people, such as {@code lock 'orders'}. */
  String text() {
    return "lock '" + lock.name() + "'";
  }

  /** Whether a lock of that name belongs to it. */
  boolean has(String name) {
    return members.stream().anyMatch(each -> each.name().equals(name));
  }

  /** Whether both have a lock in common, on either side of it. */
  boolean overlaps(LockTarget other) {
    return members.stream().anyMatch(other.members::contains);
  }

  /** Whether the calling thread holds one of its locks, by this module or not. */
  boolean isHeldByCurrentThread() {
    return members.stream().anyMatch(LeasedLock::isHeldByCurrentThread);
  }

  /** Whether the thread holds a lock that both have by one acquisition only. */
  boolean hasAloneOf(LockTarget other) {
    return members.stream()
        .anyMatch(each -> other.members.contains(each) && each.getHoldCount() == 1);
  }
}
