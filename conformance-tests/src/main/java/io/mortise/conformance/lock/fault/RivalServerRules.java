package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.DistributedLock;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Like {@link RivalRules}, with servers of their own. */
public abstract class RivalServerRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(1);

  private final RedisKit kit;

  protected RivalServerRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  private static RedisServer replicaOf(RedisServer master) {
    String port = Integer.toString(master.port());
    RedisServer replica =
        RedisServer.builder().arguments("--replicaof", master.host(), port).start();
    Await.until(
        "the replica follows",
        () -> String.valueOf(master.command("INFO", "replication")).contains("state=online"));
    return replica;
  }

  @Test
  @Rule({"W24", "L8"})
  void aReplicaThatDoesNotAnswerKeepsNoRenewalBack() {
    RedisServer master = RedisServer.start();
    closeLast(master);
    RedisServer replica = replicaOf(master);
    closeLast(replica);
    URI uri = master.uri();
    DistributedLock lock =
        service(closing(kit.open(uri)), builder -> builder.leaseTime(LEASE)).getLock(name);
    lock.lock();
    replica.pause();
    Map<String, Long> before = master.commandCounts();

    passTime(LEASE.multipliedBy(3));

    lock.ensureHeld();
    lock.unlock();
    Map<String, Long> after = master.commandCounts();
    assertEquals(before.get("wait"), after.get("wait"), "no command waits for replicas");
  }
}
