package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.QuorumException;
import io.mortise.QuorumException.Answer;
import io.mortise.QuorumException.Verdict;
import io.mortise.RedLock;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The Redlock over three servers, of which one loses its data while two have the lock: the third
 * did not hear of it.
 */
@Rule("L16")
public abstract class MemberRestartRules extends ServersFixture {
  private static final Duration LONGEST = Duration.ofSeconds(6);

  /** The ways in which a server loses data, and what is done before. */
  enum Loss {
    RESTARTED_EMPTY {
      @Override
      void happen(RedisServer server, RedisServer copy) {
        server.restart();
      }
    },

    RESTARTED_WITH_OLD_DATA {
      @Override
      void prepare(RedisServer server, RedisServer copy) {
        server.command("SAVE");
      }

      @Override
      void happen(RedisServer server, RedisServer copy) {
        server.restart();
      }
    },

    FLUSHED {
      @Override
      void happen(RedisServer server, RedisServer copy) {
        server.command("FLUSHALL");
      }
    },

    /** A replica without the last writes was the master for a moment. The process is the same. */
    PROMOTED_WITH_OLD_DATA {
      @Override
      void begin(RedisServer server, RedisServer copy) {
        follow(copy, server);
      }

      @Override
      void prepare(RedisServer server, RedisServer copy) {
        copy.command("REPLICAOF", "NO", "ONE");
      }

      @Override
      void happen(RedisServer server, RedisServer copy) {
        follow(server, copy);
        server.command("REPLICAOF", "NO", "ONE");
      }
    };

    /** Before the server votes for the first time. */
    void begin(RedisServer server, RedisServer copy) {}

    /** Before the lock is acquired. */
    void prepare(RedisServer server, RedisServer copy) {}

    abstract void happen(RedisServer server, RedisServer copy);
  }

  private static void follow(RedisServer replica, RedisServer master) {
    master.command("CONFIG", "SET", "repl-diskless-sync-delay", "0"); // it would wait 5 s
    replica.command("REPLICAOF", master.host(), Integer.toString(master.port()));
    Await.until(
        "the replica has the data",
        () ->
            String.valueOf(replica.command("INFO", "replication"))
                .contains("master_link_status:up"));
  }

  private static final int LOSES = 1;
  private static final int HEARS_NOTHING = 2;

  protected MemberRestartRules(RedisKit kit) {
    super(kit);
  }

  private RedLock voting(IndependentServers servers) {
    return red(process(servers, LONGEST), name).withQuarantine(LONGEST);
  }

  private void lockTwoOfThree(RedLock lock, IndependentServers servers, Duration lease) {
    servers.link(HEARS_NOTHING).refuse();
    servers.link(HEARS_NOTHING).cut();
    lock.lock(lease.toMillis(), TimeUnit.MILLISECONDS); // not renewed
    Await.until("two have the lock", () -> isOn(servers.server(0)) && isOn(servers.server(LOSES)));
    assertFalse(isOn(servers.server(HEARS_NOTHING)));
    servers.link(HEARS_NOTHING).resume();
  }

  private boolean isOn(RedisServer server) {
    return server.keys().contains("mortise:lock:{" + name + '}');
  }

  @Test
  void withoutQuarantineAServerThatRestartedEmptyGivesTheLockTwice() {
    IndependentServers servers = servers(3);
    RedLock mine = red(process(servers, LONGEST), name);
    RedLock theirs = red(process(servers, LONGEST), name);
    lockTwoOfThree(mine, servers, LONGEST.multipliedBy(5)); // clients need time to reconnect
    servers.server(LOSES).restart();

    passTimeUntil("another holder", LONGEST, () -> isTaken(theirs));

    assertTrue(mine.isHeldByCurrentThread(), "the reason for a quarantine");
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatLostDataGivesNoVoteBeforeTheLongestLeaseIsOver(Loss loss) {
    IndependentServers servers = servers(3);
    RedisServer copy = RedisServer.start();
    closeLast(copy);
    loss.begin(servers.server(LOSES), copy);
    RedLock mine = voting(servers);
    RedLock theirs = voting(servers); // it has never seen the servers, so only their word counts
    mine.init();
    loss.prepare(servers.server(LOSES), copy);
    lockTwoOfThree(mine, servers, LONGEST);

    loss.happen(servers.server(LOSES), copy);

    int attempts = 0;
    while (mine.isHeldByCurrentThread()) {
      boolean two = isTaken(theirs) && mine.isHeldByCurrentThread();
      assertFalse(two, "two holders");
      attempts++;
      passTime(Duration.ofMillis(50));
    }
    assertTrue(attempts > 0, "the lease was over before the first attempt");
    passTimeUntil("the lock is free", SECOND.multipliedBy(10), () -> isTaken(theirs));
    theirs.unlock();
  }

  /** Whether the attempt succeeds. A server that has just started may not be reached at once. */
  private static boolean isTaken(RedLock lock) {
    if (lock.isHeldByCurrentThread()) {
      return true;
    }
    try {
      return lock.tryLock();
    } catch (QuorumException e) {
      return false;
    }
  }

  @Test
  void aReplicaGivesNoVote() {
    IndependentServers servers = servers(3);
    RedLock lock = voting(servers);
    lock.init();
    assertTrue(lock.tryLock());
    lock.unlock();
    follow(servers.server(1), servers.server(0));
    follow(servers.server(2), servers.server(0));

    QuorumException e = assertThrows(QuorumException.class, lock::tryLock);

    says(e, "READONLY");
  }

  @Test
  @Rule("L18")
  void aServerThatEvictsGivesNoVote() {
    QuorumException e = refusedAfter("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    says(e, "its maxmemory-policy is allkeys-lru");
  }

  @Test
  @Rule("L18")
  void aServerThatHidesItsRunIdGivesNoVote() {
    QuorumException e = refusedAfter("ACL", "SETUSER", "default", "-info");
    says(e, "allow INFO");
  }

  private static void says(Throwable e, String text) {
    assertTrue(String.valueOf(e.getMessage()).contains(text), e::toString);
  }

  /** What a new process is told after two servers got a command. */
  private QuorumException refusedAfter(String... command) {
    IndependentServers servers = servers(3);
    voting(servers).init();
    servers.server(0).command(command);
    servers.server(1).command(command);
    RedLock lock = voting(servers);

    QuorumException e = assertThrows(QuorumException.class, lock::tryLock);

    List<Answer> answers = e.verdicts().stream().map(Verdict::answer).toList();
    assertEquals(2, answers.stream().filter(Answer.REFUSED::equals).count(), e::getMessage);
    return e;
  }

  /** A new process need not wait where the servers have voted for long. */
  @Test
  void aNewProcessLocksAtOnce() {
    IndependentServers servers = servers(3);
    voting(servers).init();
    List<LockService> late = process(servers, LONGEST);

    RedLock lock = red(late, name).withQuarantine(LONGEST);

    assertTrue(lock.tryLock());
    lock.unlock();
  }
}
