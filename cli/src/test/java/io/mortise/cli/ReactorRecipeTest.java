package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.junit.LockWorld;
import io.mortise.junit.MortiseTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The recipe of docs/reactive-and-cdi.md for Reactor does what the page says. */
@MortiseTest
@SuppressWarnings("FutureReturnValueIgnored") // nobody waits for the release of a discarded lease
class ReactorRecipeTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  // recipe
  static <T> Mono<T> withLock(LeasedLock lock, Function<Lease, Mono<T>> work) {
    Mono<Lease> acquired =
        Mono.fromFuture(() -> lock.async().acquire())
            .publishOn(Schedulers.boundedElastic()) // work may block, and never on Mortise's thread
            .doOnDiscard(Lease.class, Lease::releaseAsync);
    Mono<T> result =
        Mono.usingWhen(
            acquired,
            lease -> Mono.defer(() -> work.apply(lease)).takeUntilOther(loss(lease)),
            lease -> Mono.fromFuture(lease::releaseAsync), // fails if the lease is lost
            (lease, error) -> releaseAfter(error, lease),
            lease -> Mono.fromFuture(lease::releaseAsync).onErrorComplete());
    return result.onErrorMap( // Reactor wraps the loss that the release reports
        error -> error.getCause() instanceof LeaseLostException, Throwable::getCause);
  }

  /** Releases after an error of the work, which a loss does not hide. */
  static Mono<Void> releaseAfter(Throwable error, Lease lease) {
    return Mono.fromFuture(lease::releaseAsync).doOnError(error::addSuppressed).onErrorComplete();
  }

  /** Fails when the lease is lost, and never completes otherwise. */
  static Mono<Void> loss(Lease lease) {
    return Mono.create(sink ->
        lease.onLost(
            change -> sink.error(new LeaseLostException(change.name() + ": " + change.reason()))));
  }

  // end of recipe

  @Test
  void thePageHasThisCode() throws Exception {
    assertTrue(
        words(Files.readString(Path.of("../docs/reactive-and-cdi.md")))
            .contains(
                words(
                    Files.readString(Path.of("src/test/java/io/mortise/cli/ReactorRecipeTest.java"))
                        .split("// (end of )?recipe\n", -1)[1])),
        "docs/reactive-and-cdi.md differs from this class");
  }

  private static String words(String text) {
    return Arrays.stream(text.split("\\s+")).collect(Collectors.joining());
  }

  @Test
  void theWorkRunsUnderTheLockAndNotOnTheServicesThread(LockService locks) {
    LeasedLock lock = locks.getLock("orders:42");
    String thread =
        withLock(
                lock,
                lease ->
                    Mono.fromSupplier(() -> {
                      assertTrue(locks.getLock("orders:42").isLocked());
                      return Thread.currentThread().getName();
                    }))
            .block(LIMIT);

    assertTrue(String.valueOf(thread).startsWith("boundedElastic"), thread);
    assertFalse(locks.getLock("orders:42").isLocked());
  }

  @Test
  void aCancelledSubscriptionWithdraws(LockService locks, LockWorld world) throws Exception {
    Lease held = world.anotherProcess().getLock("orders:42").acquire();
    Disposable waiting =
        withLock(locks.getLock("orders:42"), lease -> Mono.just("never")).subscribe();
    world.awaitWaiting("orders:42", 1);

    waiting.dispose();
    held.close();

    assertTrue(locks.getLock("orders:42").tryLock(20, TimeUnit.SECONDS));
    locks.getLock("orders:42").unlock();
  }

  @Test
  void workThatIsCancelledGivesTheLockBack(LockService locks, LockWorld world) throws Exception {
    CompletableFuture<String> inside = new CompletableFuture<>();
    Disposable working =
        withLock(
                locks.getLock("orders:42"),
                lease -> Mono.<String>never().doOnSubscribe(s -> inside.complete("inside")))
            .subscribe();
    assertEquals("inside", inside.get(20, TimeUnit.SECONDS));

    working.dispose();

    assertTrue(world.anotherProcess().getLock("orders:42").tryLock(20, TimeUnit.SECONDS));
  }

  @Test
  void aLossEndsTheWorkWithAnError(LockService locks, LockWorld world) throws Exception {
    CompletableFuture<String> inside = new CompletableFuture<>();
    CompletableFuture<String> result =
        withLock(
                locks.getLock("orders:42"),
                lease -> Mono.<String>never().doOnSubscribe(s -> inside.complete("inside")))
            .toFuture();
    assertEquals("inside", inside.get(20, TimeUnit.SECONDS));

    assertTrue(world.anotherProcess().getLock("orders:42").forceUnlock());

    ExecutionException e =
        assertThrows(ExecutionException.class, () -> result.get(20, TimeUnit.SECONDS));
    assertTrue(e.getCause() instanceof LeaseLostException, e.toString());
  }

  @Test
  void aResultUnderALostLeaseIsNoSuccess(LockService locks, LockWorld world) {
    Mono<String> result =
        withLock(
            locks.getLock("orders:42"),
            lease ->
                Mono.fromSupplier(() -> {
                  world.anotherProcess().getLock("orders:42").forceUnlock();
                  return "done";
                }));

    assertThrows(LeaseLostException.class, () -> result.block(LIMIT));
  }

  @Test
  void anErrorOfTheWorkReachesTheCallerAndGivesTheLockBack(LockService locks) {
    Mono<String> result =
        withLock(
            locks.getLock("orders:42"),
            lease -> Mono.error(new IllegalArgumentException("its own")));

    IllegalArgumentException own =
        assertThrows(IllegalArgumentException.class, () -> result.block(LIMIT));
    assertEquals("its own", own.getMessage());
    assertFalse(locks.getLock("orders:42").isLocked());
  }

  @Test
  void aLossThatTheReleaseFindsIsSuppressedInTheErrorOfTheWork(LockService locks, LockWorld world)
      throws InterruptedException {
    Lease lease = locks.getLock("orders:42").acquire();
    world.anotherProcess().getLock("orders:42").forceUnlock();
    IllegalArgumentException own = new IllegalArgumentException("its own");

    releaseAfter(own, lease).block(LIMIT);

    assertTrue(
        Arrays.stream(own.getSuppressed()).anyMatch(LeaseLostException.class::isInstance),
        Arrays.toString(own.getSuppressed()));
  }
}
