package io.mortise.conformance.lock.composite;

import io.mortise.conformance.RedisKit;

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
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.composite.RedServers.Fault;
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

/** What becomes of the majority's lock when one, two and three of five servers fail. */
@Rule("L16")
public abstract class RedFaultRules extends RedFixture {
  /** One more than may fail of five. */
  private static final int MOST_DOWN = 3;

  private static final Duration SLACK = Duration.ofSeconds(3);

  protected RedFaultRules(RedisKit kit) {
    super(kit);
  }

  /** A hold while nodes fail, and when its loss was told. */
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
   * A lock of five members, of which so many are on the servers that fail: one fault is seen by
   * locks that lose none, one, two and three members.
   */
  private static RedLock ofFive(List<LockService> all, int down, String name) {
    List<LockService> five = new ArrayList<>(all.subList(NODES, NODES + down));
    five.addAll(all.subList(0, NODES - down));
    return red(five, name);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  @Rule({"L8", "L9", "W13"})
  void twoOfFiveMayFailAndThreeAreTold(Fault fault, Figures figures) throws Exception {
    Duration lease = lease(fault);
    RedServers servers = servers(NODES + MOST_DOWN);
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
      figures.add("red lock, %s, %d of 5 down, tryLock".formatted(fault, down), outcome);
      outcome = leave(left.get(down).lease);
      figures.add("red lock, %s, %d of 5 down, unlock".formatted(fault, down), outcome);
    }
    passTime(lease.plusMillis(500 - millisSince(start)));
    for (int down = 0; down <= MOST_DOWN; down++) {
      String outcome = outcome(holds.get(down), fault, down, start);
      figures.add("red lock, %s, %d of 5 down, a hold".formatted(fault, down), outcome);
    }
  }

  /**
   * Renewals to slow servers come in good time, even over a new connection: a command may take a
   * third of it.
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

  /** Of a killed server some clients know that it is gone; to others it is silent. */
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

  /** Those that do not answer go on in the background. */
  private static String leave(Lease lease) {
    long start = System.nanoTime();
    lease.close();
    long took = millisSince(start);
    assertTrue(took < MEMBER_TIMEOUT.plus(SLACK).toMillis(), "it took " + took + " ms");
    return "released in " + took + " ms";
  }

  /** A slow server's renewals still come before a lease has ended. */
  private static String outcome(Hold hold, Fault fault, int down, long start) {
    if (down < MOST_DOWN || fault == Fault.SLOW) {
      assertEquals(List.of(), hold.told);
      assertEquals(LeaseState.HELD, hold.lease.state(), hold.lease::toString);
      return "kept, " + leave(hold.lease);
    }
    assertEquals(LeaseState.LOST, hold.lease.state(), hold.lease::toString);
    Await.until("its loss is told", () -> hold.told.size() == 1);
    assertThrows(LeaseLostException.class, hold.lease::close);
    return "lost, told after " + (hold.toldAt - start) / 1_000_000 + " ms";
  }
}
