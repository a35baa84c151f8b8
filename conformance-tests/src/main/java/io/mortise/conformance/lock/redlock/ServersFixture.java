package io.mortise.conformance.lock.redlock;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.spi.LockBackend;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Redlocks on real servers, for tests. */
abstract class ServersFixture extends LockRules {
  static final int NODES = 5;

  /** Shorter than a slow node takes, and much longer than a good one takes on a busy machine. */
  static final Duration MEMBER_TIMEOUT = Duration.ofMillis(400);

  private final RedisKit kit;

  ServersFixture(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  IndependentServers servers(int count) {
    IndependentServers servers = new IndependentServers(count);
    closeLast(servers);
    return servers;
  }

  LockBackend open(URI uri) {
    return kit.open(uri);
  }

  /** The services of one process, one for each node. */
  List<LockService> process(IndependentServers servers, Duration lease) {
    List<LockService> services = new ArrayList<>();
    for (int node = 0; node < servers.count(); node++) {
      services.add(
          service(closing(kit.open(servers.uri(node))), builder -> builder.leaseTime(lease)));
    }
    return services;
  }

  static RedLock red(List<LockService> services, String name) {
    return RedLock.of(
            services.stream().map(each -> each.getLock(name)).toArray(DistributedLock[]::new))
        .withMemberTimeout(MEMBER_TIMEOUT);
  }

  static long millisSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }
}
