package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.NotReplicatedException;
import io.mortise.QuorumException;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.ReplicatedBackend;
import io.mortise.conformance.support.Await;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Holds that replicas must confirm. The test decides how many of them do. */
public abstract class ReplicaRules extends LockRules {
  private static final Duration WAIT = Duration.ofMillis(20);

  private volatile long replicas = 1;
  private final Collection<String> confirmed = ConcurrentHashMap.newKeySet();

  protected ReplicaRules(LockKit kit) {
    super(kit);
  }

  private long confirm(ScriptCall call) {
    confirmed.add(call.script().name());
    return replicas;
  }

  private LockService replicated() {
    return replicated(builder -> builder);
  }

  private LockService replicated(UnaryOperator<LockService.Builder> options) {
    return service(
        closing(new ReplicatedBackend(backend(), this::confirm)),
        builder -> options.apply(builder.replicaAcks(1, WAIT)));
  }

  @Test
  @Rule({"L22", "R9"})
  void aVoteOfARedlockWaitsForReplicas() {
    assumeTrue(backend().info().anyKeys(), "the servers of a quarantine are no cluster");
    LockService voter =
        replicated(
            builder -> builder.keyPrefix("mortise:" + name + ':').leaseTime(Duration.ofSeconds(9)));
    RedLock red = RedLock.of(voter.getLock(name)).withQuarantine(Duration.ofSeconds(9));
    red.init();
    assertTrue(red.tryLock());
    red.unlock();
    replicas = 0;

    String message = message(QuorumException.class, red::tryLock);

    assertTrue(message.contains("0 of 1 replicas confirmed it within 20 ms"), message);
  }

  @Test
  @Rule("L22")
  void anAcquisitionThatTooFewReplicasConfirmIsGivenBack() {
    DistributedLock mine = replicated().getLock(name);
    replicas = 0;

    String message = message(NotReplicatedException.class, mine::tryLock);

    assertTrue(message.contains("0 of 1 replicas confirmed it within 20 ms"), message);
    assertFalse(mine.isHeldByCurrentThread());
    DistributedLock theirs = lock();
    Await.until("the lock is free", theirs::tryLock);
    theirs.unlock();
    replicas = 1;
    assertTrue(mine.tryLock());
    mine.unlock();
  }

  @Test
  @Rule("L22")
  void aLockThatAnotherHoldsIsBusyWhateverReplicasSay() {
    DistributedLock mine = replicated().getLock(name);
    DistributedLock theirs = lock();
    theirs.lock();
    replicas = 0;

    assertFalse(mine.tryLock());

    theirs.unlock();
  }

  @Test
  @Rule("L22")
  void aWaitGoesOnUntilReplicasConfirm() {
    DistributedLock mine = replicated().getLock(name);
    replicas = 0;
    Contender waiter = entering(mine);
    passTime(Duration.ofMillis(500));
    assertFalse(waiter.isInside());

    replicas = 1;
    passTimeUntil("it has the lock", Duration.ofSeconds(10), waiter::isInside);

    waiter.leave(mine::unlock);
    Await.until("the lock is free", () -> !mine.isLocked());
  }

  @Test
  @Rule("L22")
  void aTimedWaitThatReplicasNeverConfirmEndsWithTheReason() {
    DistributedLock mine = replicated().getLock(name);
    replicas = 0;
    Contender waiter = contender(() -> mine.tryLock(Duration.ofMillis(300)));

    passTimeUntil("it ends", Duration.ofSeconds(10), () -> !waiter.thread().isAlive());

    assertInstanceOf(NotReplicatedException.class, waiter.failure());
    Await.until("the lock is free", () -> !mine.isLocked());
  }

  @Test
  @Rule("L22")
  void aRequestForALeaseIsConfirmedToo() {
    DistributedLock mine = replicated().getLock(name);
    replicas = 0;
    CompletableFuture<?> attempt = mine.async().tryAcquire().toCompletableFuture();
    Throwable why = assertThrows(ExecutionException.class, attempt::get).getCause();
    assertInstanceOf(NotReplicatedException.class, why);
    CompletableFuture<Lease> request = mine.async().acquire().toCompletableFuture();
    passTime(Duration.ofMillis(500));
    assertFalse(request.isDone());

    replicas = 1;
    passTimeUntil("it has the lease", Duration.ofSeconds(10), request::isDone);

    Await.value(request).close();
    Await.until("the lock is free", () -> !mine.isLocked());
  }

  @Test
  @Rule("L22")
  void aWaiterIsNotGrantedTheLockByAReplyThatNoReplicaConfirmed() {
    DistributedLock mine = replicated(builder -> builder.handOffLimit(0)).getFairLock(name);
    mine.lock();
    Contender waiter = entering(mine);
    awaitQueued(1);
    replicas = 0;

    mine.unlock();

    passTime(Duration.ofMillis(500));
    assertFalse(waiter.isInside());
    replicas = 1;
    passTimeUntil("it has the lock", Duration.ofSeconds(10), waiter::isInside);
    waiter.leave(mine::unlock);
  }

  @Test
  @Rule({"L8", "L22"})
  void aRenewalThatTooFewReplicasConfirmMakesAHoldSuspectUntilOneSucceeds() {
    Duration lease = Duration.ofSeconds(3);
    DistributedLock mine = replicated(builder -> builder.leaseTime(lease)).getLock(name);
    List<LeaseState> changes = new CopyOnWriteArrayList<>();
    mine.onLeaseChange(change -> changes.add(change.state()));
    mine.lock();
    replicas = 0;
    passTimeUntil("it is suspect", lease, () -> mine.leaseState() == LeaseState.SUSPECT);
    mine.ensureHeld();

    replicas = 1;
    passTimeUntil("it is safe again", lease, () -> mine.leaseState() == LeaseState.HELD);
    Await.until("both are reported", () -> changes.contains(LeaseState.HELD));

    passTime(lease);
    mine.ensureHeld();
    mine.unlock();
    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.HELD), changes);
  }

  @Test
  @Rule({"L9", "L22"})
  void aHoldWhoseRenewalsNoReplicaConfirmsIsLostAtItsDeadline() {
    Duration lease = Duration.ofSeconds(1);
    DistributedLock mine = replicated(builder -> builder.leaseTime(lease)).getLock(name);
    List<String> reasons = new CopyOnWriteArrayList<>();
    mine.onLeaseLost(loss -> reasons.add(String.valueOf(loss.reason())));
    mine.lock();
    replicas = 0;

    passTimeUntil("it is lost", lease.multipliedBy(5), () -> !mine.isHeldByCurrentThread());

    Await.until("the listener got the loss", () -> !reasons.isEmpty());
    assertTrue(reasons.get(0).contains("0 of 1 replicas"), reasons::toString);
    Await.until("the lock is free", lock()::tryLock);
  }

  @Test
  @Rule("L22")
  void aLeaseIsMadeLongerOnlyWithReplicas() {
    Lease lease = Await.value(replicated().getLock(name).async().acquire());
    Duration before = lease.remaining();
    replicas = 0;

    assertThrows(NotReplicatedException.class, () -> lease.extend(Duration.ofHours(1)));

    assertTrue(lease.isValid());
    assertTrue(lease.remaining().compareTo(before) <= 0);
    replicas = 1;
    assertTrue(lease.extend(Duration.ofHours(1)));
    assertTrue(lease.remaining().compareTo(before) > 0);
    lease.close();
  }

  @Test
  @Rule("L22")
  void onlyWhatMakesAHoldAsksReplicas() {
    DistributedLock mine = replicated().getLock(name);
    DistributedLock theirs = replicated().getLock(name);
    mine.lock();
    Contender waiter = entering(theirs);
    awaitQueued(1);
    mine.unlock();
    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);

    assertEquals(Set.of("check", "acquire"), confirmed);
  }

  @Test
  @Rule({"L18", "L22"})
  void optionsThatDoNotFitAreRefused() {
    Duration second = Duration.ofSeconds(1);
    LockService.Builder builder = LockService.builder();
    assertThrows(IllegalArgumentException.class, () -> builder.replicaAcks(0, WAIT));
    refused("half of commandTimeout", each -> each.replicaAcks(1, second).commandTimeout(second));
  }

  private static String message(Class<? extends Exception> type, Executable fails) {
    return String.valueOf(assertThrows(type, fails).getMessage());
  }

  private void refused(String expected, UnaryOperator<LockService.Builder> options) {
    String message = message(IllegalArgumentException.class, () -> service(options));
    assertTrue(message.contains(expected), message);
  }

  @Test
  @Rule({"L18", "L22"})
  void aBackendThatDoesNotCountReplicasIsRefused() {
    LockBackend ignorant =
        closing(
            new ForwardingBackend() {
              private final LockBackend store = backend();

              @Override
              protected LockBackend target() {
                return store;
              }

              @Override
              public List<Object> execute(ScriptCall call) {
                return store.execute(call.withAcks(null));
              }

              @Override
              public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
                return store.executeAsync(call.withAcks(null));
              }
            });

    String message =
        message(
            UnsupportedOperationException.class,
            () -> service(ignorant, builder -> builder.replicaAcks(1, WAIT)));

    assertTrue(message.contains("replicaAcks(1, PT0.02S)"), message);
  }
}
