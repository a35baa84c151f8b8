package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.FencedLock;
import io.mortise.LeaderElection;
import io.mortise.LockService;
import io.mortise.LossCause;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What is true of a candidate of an election when its {@code close()} has returned. */
@Rule("E8")
public abstract class ElectionEndRules extends LockRules {
  private static final int ROUNDS = 30;

  /** Long enough for a thread that does not wait to be done. */
  private static final Duration SHORT = Duration.ofMillis(100);

  private final FaultyBackend link = new FaultyBackend(this::backend);
  private final List<String> told = new CopyOnWriteArrayList<>();

  protected ElectionEndRules(LockKit kit) {
    super(kit);
  }

  private LeaderElection join(LockService by) {
    return LeaderElection.join(
        by.getFencedLock(name),
        new LeaderElection.Leader() {
          @Override
          public void onElected(long term) {
            told.add("elected");
          }

          @Override
          public void onRevoked(long term, Optional<LossCause> loss) {
            told.add("revoked");
          }
        });
  }

  private LockService linked() {
    return service(link, builder -> builder);
  }

  private FencedLock held() {
    FencedLock held = service().getFencedLock(name);
    held.lock();
    return held;
  }

  private static CompletableFuture<Void> closing(LeaderElection election) {
    return CompletableFuture.runAsync(election::close, task -> new Thread(task).start());
  }

  private static void assertWaits(CompletableFuture<Void> closing) throws InterruptedException {
    Thread.sleep(SHORT.toMillis());
    assertFalse(closing.isDone(), "close() has returned");
  }

  @Test
  void aCandidateThatWaitsHasLeftTheQueueAndNothingFollows() {
    FencedLock held = held();
    SpyBackend spy = new SpyBackend(backend());
    LockService service = service(spy, builder -> builder);
    List<Integer> late = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      LeaderElection election = join(service);
      awaitQueued(1);
      election.close();
      if (!isQueued(0)) {
        late.add(i);
      }
      spy.forget();
      awaitQueued(0);
      assertTrue(spy.toString().contains(", 0 calls,"), spy::toString);
    }
    assertEquals(List.of(), late, "it was in the queue after close() had returned");
    assertEquals(List.of(), told);
    held.unlock();
  }

  @Test
  void everyCloseWaitsForTheAnswerToTheWithdrawal() throws InterruptedException {
    FencedLock held = held();
    LeaderElection election = join(linked());
    awaitQueued(1);
    HeldCall leave = link.hold("leave");

    CompletableFuture<Void> first = closing(election);
    leave.awaitSent();
    CompletableFuture<Void> second = closing(election);
    assertWaits(first);
    assertWaits(second);
    leave.pass();

    Await.value(first);
    Await.value(second);
    assertTrue(isQueued(0));
    held.unlock();
  }

  @Test
  void everyCloseWaitsUntilALeaderHasGivenTheLockBack() throws InterruptedException {
    LeaderElection election = join(linked());
    Await.until("it leads", () -> told.contains("elected"));
    HeldCall leave = link.hold("leave");

    CompletableFuture<Void> first = closing(election);
    leave.awaitSent();
    CompletableFuture<Void> second = closing(election);
    assertWaits(first);
    assertWaits(second);
    leave.pass();

    Await.value(first);
    Await.value(second);
    assertFalse(service().getFencedLock(name).isLocked());
    assertEquals(List.of("elected", "revoked"), told);
  }

  @Test
  void aStoreThatDoesNotAnswerDelaysCloseByTheCommandTimeout() {
    FencedLock held = held();
    LeaderElection election = join(linked());
    awaitQueued(1);
    HeldCall leave = link.hold("leave");

    CompletableFuture<Void> closed = closing(election);
    leave.awaitSent();
    passTimeUntil("close() returns", SECOND.multipliedBy(3), closed::isDone);

    leave.pass();
    assertTrue(isQueued(0));
    held.unlock();
  }

  /** The executor may be busy for long. Then nobody was told of the lease. */
  @Test
  void aLeaseThatWaitsForTheExecutorIsGivenBack() {
    for (int steps = 0; steps < 2; steps++) {
      Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
      SpyBackend spy = new SpyBackend(backend());
      LeaderElection election = join(service(spy, builder -> builder.executor(tasks::add)));
      for (int i = 0; i < steps; i++) {
        Await.until("a task waits", () -> !tasks.isEmpty());
        tasks.remove().run();
      }
      FencedLock looked = service().getFencedLock(name);
      Await.until("the lock is taken", looked::isLocked);
      Await.until("a task waits", () -> !tasks.isEmpty());

      election.close();

      assertFalse(looked.isLocked(), "after " + steps + " tasks");
      spy.forget();
      tasks.forEach(Runnable::run);
      assertTrue(spy.toString().contains(", 0 calls,"), spy::toString);
      assertEquals(List.of(), told);
    }
  }
}
