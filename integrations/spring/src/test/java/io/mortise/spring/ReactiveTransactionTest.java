package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseLostException;
import io.mortise.conformance.support.Await;
import io.mortise.spring.WithLockSettings.InTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Mono;

/** A publisher's lock and the transaction of its subscriber. */
class ReactiveTransactionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final World world = new World();
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final TransactionalOperator transaction = TransactionalOperator.create(new Ledger());

  @AfterEach
  void close() {
    world.close();
  }

  static class Shop {
    @WithLock("stock")
    public Mono<String> sell() {
      return Mono.just("sold");
    }
  }

  private void see(String what) {
    seen.add(what + (world.isFree("stock") ? " without the lock" : " under the lock"));
  }

  /** Transactions that do nothing but tell their end. */
  @SuppressWarnings("serial")
  private final class Ledger extends AbstractReactiveTransactionManager {
    @Override
    protected Object doGetTransaction(TransactionSynchronizationManager current) {
      return new Object();
    }

    @Override
    protected Mono<Void> doBegin(
        TransactionSynchronizationManager current, Object begun, TransactionDefinition how) {
      return Mono.empty();
    }

    @Override
    protected Mono<Void> doCommit(
        TransactionSynchronizationManager current, GenericReactiveTransaction status) {
      return Mono.fromRunnable(() -> see("commit"));
    }

    @Override
    protected Mono<Void> doRollback(
        TransactionSynchronizationManager current, GenericReactiveTransaction status) {
      return Mono.fromRunnable(() -> seen.add("rollback"));
    }
  }

  private Mono<String> register(String result) {
    return TransactionSynchronizationManager.forCurrentTransaction()
        .map(current -> {
          current.registerSynchronization(
              new TransactionSynchronization() {
                @Override
                public Mono<Void> afterCompletion(int status) {
                  return Mono.fromRunnable(() -> see("end"));
                }
              });
          return result;
        });
  }

  @Test
  void theLeaseIsHeldUntilAllOthersHaveSeenTheEndOfTheTransaction() {
    Shop shop = world.start(Shop.class, Object.class);
    Mono<String> sold = transaction.transactional(shop.sell().flatMap(this::register));
    assertEquals("sold", sold.block(PATIENCE));
    assertEquals(List.of("commit under the lock", "end under the lock"), seen);
    Await.until("the lock is free", () -> world.isFree("stock"));
  }

  @Test
  void aTransactionWhoseLeaseIsLostDoesNotCommit() {
    Shop shop = world.start(Shop.class, Object.class);
    Mono<String> sold =
        transaction.transactional(shop.sell().doOnNext(result -> world.force("stock")));
    assertThrows(LeaseLostException.class, () -> sold.block(PATIENCE));
    assertEquals(List.of("rollback"), seen);
  }

  @Test
  void aLockInsideATransactionMayBeRefused() throws Exception {
    WithLockSettings settings =
        new WithLockSettings(PATIENCE, InTransaction.FAIL, WithLockSettings.DEFAULT_ORDER);
    LockedMethod method =
        new LockedMethods(new DefaultListableBeanFactory(), settings)
            .find(Shop.class.getMethod("sell"), Shop.class);
    Mono<?> sold =
        (Mono<?>)
            new PublisherLocker(new InTransactionRule(settings.inTransaction()))
                .run(
                    Objects.requireNonNull(method),
                    method.terms().target(world.here, List.of("stock")),
                    () -> Mono.just("sold"),
                    () -> Mono.empty());
    assertEquals("sold", sold.block(PATIENCE));
    var refused =
        assertThrows(
            IllegalStateException.class, () -> transaction.transactional(sold).block(PATIENCE));
    assertTrue(World.message(refused).contains("Shop.sell()"), World.message(refused));
    Await.until("the lock is free", () -> world.isFree("stock"));
  }
}
