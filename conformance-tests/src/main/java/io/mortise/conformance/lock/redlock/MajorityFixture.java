package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Redlocks on any store, for tests. The members are locks of different prefixes, each behind a link
 * of its own.
 */
abstract class MajorityFixture extends LockRules {
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration SECONDS = Duration.ofSeconds(10);
  static final int NODES = 5;

  /** In whose queues a waiter is while all nodes live: a majority needs one of them. */
  static final int GATES = 3;

  MajorityFixture(LockKit kit) {
    super(kit);
  }

  /** One process, with a link and a service for each node. */
  final class Party {
    final List<FaultyBackend> links = new ArrayList<>();
    final List<LockService> services = new ArrayList<>();
    final List<DistributedLock> members = new ArrayList<>();
    final RedLock lock;
    private final Duration lease;

    Party(Duration lease) {
      this(lease, builder -> builder);
    }

    Party(Duration lease, UnaryOperator<LockService.Builder> options) {
      this.lease = lease;
      for (int i = 0; i < NODES; i++) {
        FaultyBackend link = new FaultyBackend(MajorityFixture.this::ofOneServer);
        String prefix = prefix(i);
        LockService service =
            service(link, builder -> options.apply(builder.leaseTime(lease).keyPrefix(prefix)));
        links.add(link);
        services.add(service);
        members.add(service.getLock(name));
      }
      lock = RedLock.of(members.toArray(DistributedLock[]::new));
    }

    /** Cuts the links to some nodes. */
    void cut(int... nodes) {
      for (int node : nodes) {
        links.get(node).set(Link.DOWN);
      }
    }

    void mend(int... nodes) {
      for (int node : nodes) {
        links.get(node).set(Link.UP);
      }
    }

    long lockedMembers() {
      return members.stream().filter(DistributedLock::isLocked).count();
    }

    /**
     * Waits until the lock can lose members. A member that did not answer in time is acquired again
     * by one check of the renewal, and counts from the next.
     */
    void awaitAllCount() {
      Await.until("every member is held", () -> lockedMembers() == NODES);
      passTime(lease.dividedBy(2));
    }

    void awaitFree() {
      passTimeUntil("all members are free", SECONDS, () -> lockedMembers() == 0);
    }
  }

  /** The key prefix that stands for a server. */
  String prefix(int node) {
    return "mortise:node" + node + ':';
  }

  Party party() {
    return new Party(LEASE);
  }

  void forceOpen(int... nodes) {
    for (int node : nodes) {
      String prefix = prefix(node);
      assertTrue(service(builder -> builder.keyPrefix(prefix)).getLock(name).forceUnlock());
    }
  }

  boolean isHeldOn(int node) {
    return runOn(key(node, "lock"), "return {redis.call('EXISTS', KEYS[1])}")
        .equals(List.<Object>of(1L));
  }

  /** Acquires single members for another client, and keeps them. */
  void takeAlone(int... nodes) {
    for (int node : nodes) {
      String prefix = prefix(node);
      assertTrue(service(builder -> builder.keyPrefix(prefix)).getLock(name).tryLock());
    }
  }

  /** How many acquisitions wait in the queues of all members. */
  long waiting() {
    long all = 0;
    for (int node = 0; node < NODES; node++) {
      all += sizeOf(key(node, "queue"));
    }
    return all;
  }

  String key(int node, String kind) {
    return prefix(node) + kind + ":{" + name + '}';
  }
}
