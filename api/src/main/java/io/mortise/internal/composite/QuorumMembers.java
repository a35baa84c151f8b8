package io.mortise.internal.composite;

import io.mortise.internal.lock.Member;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;

/**
 * The members of a Redlock, and the numbers that follow from them.
 *
 * @param name of the whole
 * @param all in an order that all processes share, if they use the same names for the endpoints
 * @param nodeTimeout how long one member may take to answer
 */
record QuorumMembers(String name, List<Member> all, Duration nodeTimeout) {
  int quorum() {
    return all.size() / 2 + 1;
  }

  /** How many members may fail, or have another holder, while the others are a majority. */
  int spare() {
    return all.size() - quorum();
  }

  /** The shortest lease of a member. */
  Duration lease() {
    return all.stream().map(Member::lease).min(Duration::compareTo).orElseThrow();
  }

  /** Throws if the service of a member is closed: all must be open to acquire. */
  void checkOpen() {
    all.forEach(Member::checkOpen);
  }

  boolean isRenewed() {
    return all.stream().allMatch(Member::isRenewed);
  }

  TimeSource time() {
    return all.get(0).time();
  }

  void execute(Runnable task) {
    all.get(0).executor().execute(task);
  }
}
