package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.QuorumException;
import io.mortise.QuorumException.Answer;
import io.mortise.RedLock;
import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.redlock.IndependentServers.Fault;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The Redlock while one, two and three of five servers fail. */
@Rule("L16")
public abstract class MemberFaultRules extends ServersFixture {
  /** One more than a Redlock of five survives. */
  private static final int MOST_DOWN = 3;

  private static final Duration SLACK = Duration.ofSeconds(3);

  protected MemberFaultRules(RedisKit kit) {
    super(kit);
  }

  /** A hold while nodes fail, and the time at which its loss was reported. */
  private static final class Hold {
    final Lease lease;
    final List<LeaseChange> told = Collections.synchronizedList(new ArrayList<>());
    volatile long toldAt;

    Hold(RedLock lock) throws InterruptedException {
      lease = lock.acquire();
      Lease unused =
          lease.onLost(event -> {
            toldAt = System.nanoTime();
            told.add(event);
          });
    }
  }

  /**
   * A Redlock of five members, of which {@code down} are on the servers that fail. So locks that
   * lose none, one, two and three members see the same fault.
   */
  private static RedLock ofFive(List<LockService> all, int down, String name) {
    List<LockService> five = new ArrayList<>(all.subList(NODES, NODES + down));
    five.addAll(all.subList(0, NODES - down));
    return red(five, name);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  @Rule({"L8", "L9", "W13"})
  void twoOfFiveMayFailAndThreeAreReported(Fault fault, Figures figures) throws Exception {
    Duration lease = lease(fault);
    IndependentServers servers = servers(NODES + MOST_DOWN);
    List<LockService> all = process(servers, lease);
    List<Hold> holds = new ArrayList<>();
    List<Hold> left = new ArrayList<>();
    for (int down = 0; down <= MOST_DOWN; down++) {
      holds.add(new Hold(ofFive(all, down, name + "-held-" + down)));
      left.add(new Hold(ofFive(all, down, name + "-left-" + down)));
    }
    long start = System.nanoTime();
    for (int node = NODES; node < servers.count(); node++) {
      servers.spoil(node, fault);
    }
    for (int down = 0; down <= MOST_DOWN; down++) {
      String outcome = tryOnce(ofFive(all, down, name + "-tried-" + down), fault, down);
      figures.add("Redlock, %s, %d of 5 down, tryLock".formatted(fault, down), outcome);
      Lease mine = left.get(down).lease;
      outcome = down == MOST_DOWN ? leaveOrLose(mine, start, lease) : leave(mine);
      figures.add("Redlock, %s, %d of 5 down, unlock".formatted(fault, down), outcome);
    }
    passTime(lease.plusMillis(500 - millisSince(start)));
    for (int down = 0; down <= MOST_DOWN; down++) {
      String outcome = outcome(holds.get(down), fault, down, start);
      figures.add("Redlock, %s, %d of 5 down, a hold".formatted(fault, down), outcome);
    }
  }

  /**
   * Long enough that renewals to slow servers come in time, even over a new connection. A command
   * may take a third of the lease.
   */
  private static Duration lease(Fault fault) {
    return Duration.ofSeconds(fault == Fault.SLOW ? 5 : 2);
  }

  private static String tryOnce(RedLock lock, Fault fault, int down) {
    long start = System.nanoTime();
    if (down == MOST_DOWN) {
      QuorumException told = assertThrows(QuorumException.class, lock::tryLock);
      long took = millisSince(start);
      assertTrue(took < MEMBER_TIMEOUT.plus(SLACK).toMillis(), "it took " + took + " ms");
      assertEquals(MOST_DOWN, failed(told, fault), told::getMessage);
      return "QuorumException after " + took + " ms: " + counted(told);
    }
    assertTrue(lock.tryLock(), lock::toString);
    long took = millisSince(start);
    assertTrue(took < MEMBER_TIMEOUT.plus(SLACK).toMillis(), "it took " + took + " ms");
    lock.unlock();
    return "acquired in " + took + " ms";
  }

  /** A client may know that a killed server is gone, or may get no reply from it. */
  private static long failed(QuorumException told, Fault fault) {
    Set<Answer> expected =
        fault == Fault.KILLED
            ? Set.of(Answer.UNREACHABLE, Answer.TOO_SLOW)
            : Set.of(Answer.TOO_SLOW);
    return told.verdicts().stream().filter(each -> expected.contains(each.answer())).count();
  }

  private static Map<Answer, Long> counted(QuorumException told) {
    return told.verdicts().stream()
        .collect(
            Collectors.groupingBy(
                QuorumException.Verdict::answer, TreeMap::new, Collectors.counting()));
  }

  /** A lease that too few members renew may be over when a slow machine releases it. */
  private static String leaveOrLose(Lease lease, long fault, Duration length) {
    try {
      return leave(lease);
    } catch (LeaseLostException e) {
      assertTrue(millisSince(fault) > length.toMillis() / 2, e::getMessage);
      return "over before its release";
    }
  }

  /** Releases to members that do not reply go on in the background. */
  private static String leave(Lease lease) {
    long start = System.nanoTime();
    lease.close();
    long took = millisSince(start);
    assertTrue(took < MEMBER_TIMEOUT.plus(SLACK).toMillis(), "it took " + took + " ms");
    return "released in " + took + " ms";
  }

  /** A slow server still receives renewals before a lease ends. */
  private static String outcome(Hold hold, Fault fault, int down, long start) {
    if (down < MOST_DOWN || fault == Fault.SLOW) {
      assertEquals(List.of(), hold.told);
      assertEquals(LeaseState.HELD, hold.lease.state(), hold.lease::toString);
      return "kept, " + leave(hold.lease);
    }
    Await.until("it is lost", () -> hold.lease.state() == LeaseState.LOST);
    Await.until("the loss is reported", () -> hold.told.size() == 1);
    assertThrows(LeaseLostException.class, hold.lease::close);
    return "lost, reported after " + (hold.toldAt - start) / 1_000_000 + " ms";
  }
}
