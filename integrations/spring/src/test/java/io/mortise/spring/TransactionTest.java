package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.springframework.transaction.support.TransactionSynchronization.STATUS_UNKNOWN;

import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.spring.WithLockSettings.InTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The lock and the transaction of a method. The counter loses increments when a thread reads before
 * the last one has committed, so each rule is also shown to fail when it is switched off.
 */
class TransactionTest {
  private static final int INCREMENTS = 200;

  private final List<AnnotationConfigApplicationContext> open = new ArrayList<>();

  @AfterEach
  void close() {
    open.forEach(AnnotationConfigApplicationContext::close);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement
  @Import({WithLockConfiguration.class, Account.class})
  static class Bank {
    @Bean(destroyMethod = "dispose")
    JdbcConnectionPool pool() {
      JdbcConnectionPool pool =
          JdbcConnectionPool.create(
              "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", "");
      new JdbcTemplate(pool).execute("create table account (balance int)");
      new JdbcTemplate(pool).execute("insert into account values (0)");
      return pool;
    }

    @Bean
    PlatformTransactionManager transactions(DataSource pool) {
      return new DataSourceTransactionManager(pool);
    }

    @Bean
    LockService locks() {
      return LockService.open("memory:" + UUID.randomUUID());
    }
  }

  static class Account {
    final JdbcTemplate sql;
    final LockService locks;
    volatile Runnable inside = () -> {};

    Account(DataSource pool, LockService locks) {
      sql = new JdbcTemplate(pool);
      this.locks = locks;
    }

    /** Both on one method: the lock comes first, whatever the order of the annotations. */
    @Transactional
    @WithLock("account")
    public void incrementInOwnTransaction() {
      increment();
    }

    @WithLock("account")
    public void increment() {
      int seen = balance();
      LockSupport.parkNanos(100_000);
      sql.update("update account set balance = ?", seen + 1);
      inside.run();
    }

    @WithLock("account")
    public void lookAround() {
      inside.run();
    }

    int balance() {
      Integer balance = sql.queryForObject("select balance from account", Integer.class);
      return balance == null ? -1 : balance;
    }

    boolean isFree() {
      return !locks.getLock("account").isLocked();
    }
  }

  private AnnotationConfigApplicationContext start(WithLockSettings settings) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.register(Bank.class);
    context.registerBean(WithLockSettings.class, () -> settings);
    open.add(context);
    context.refresh();
    return context;
  }

  private static WithLockSettings settings(InTransaction inTransaction) {
    return new WithLockSettings(
        Duration.ofSeconds(60), inTransaction, WithLockSettings.DEFAULT_ORDER);
  }

  private static TransactionTemplate transaction(AnnotationConfigApplicationContext context) {
    return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
  }

  /** How many increments arrive when four threads make them. */
  private static int count(Account target, Runnable increment) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<Void> task =
          () -> {
            for (int i = 0; i < INCREMENTS / 4; i++) {
              increment.run();
            }
            return null;
          };
      List<Future<Void>> done = threads.invokeAll(List.of(task, task, task, task));
      for (Future<Void> each : done) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    return target.balance();
  }

  private static Account target(Account proxy) {
    return World.target(proxy, Account.class);
  }

  @Test
  void theLockIsAcquiredBeforeTheTransactionAndReleasedAfterIt() throws Exception {
    var context = start(settings(InTransaction.HOLD));
    Account account = context.getBean(Account.class);
    assertEquals(INCREMENTS, count(target(account), account::incrementInOwnTransaction));
  }

  @Test
  void incrementsAreLostIfTheLockIsInsideTheTransaction() throws Exception {
    // As the advisor of transactions, which is registered first then.
    var context =
        start(
            new WithLockSettings(Duration.ofSeconds(60), InTransaction.RELEASE, Integer.MAX_VALUE));
    Account account = context.getBean(Account.class);
    var transaction = transaction(context);
    int arrived =
        count(target(account), () -> transaction.executeWithoutResult(status -> pause(account)));
    assertTrue(arrived < INCREMENTS, "all " + arrived + " arrived, so this test shows nothing");
  }

  @Test
  void aLockThatIsAcquiredInsideATransactionIsHeldUntilThatIsOver() throws Exception {
    var context = start(settings(InTransaction.HOLD));
    Account account = context.getBean(Account.class);
    var transaction = transaction(context);
    int arrived =
        count(target(account), () -> transaction.executeWithoutResult(status -> pause(account)));
    assertEquals(INCREMENTS, arrived);
    assertTrue(account.isFree());
  }

  /** Leaves time between the method's return and the commit. */
  private static void pause(Account account) {
    account.increment();
    LockSupport.parkNanos(100_000);
  }

  @Test
  void aTransactionOfTheCallerCanBeRefused() {
    var context = start(settings(InTransaction.FAIL));
    Account account = context.getBean(Account.class);
    var refused =
        assertThrows(
            IllegalStateException.class,
            () -> transaction(context).executeWithoutResult(status -> account.increment()));
    assertTrue(World.message(refused).contains("Account.increment()"), World.message(refused));
    account.incrementInOwnTransaction();
    assertEquals(1, target(account).balance());
  }

  @Test
  void aTransactionWhoseLockIsLostDoesNotCommit() {
    var context = start(settings(InTransaction.HOLD));
    Account account = context.getBean(Account.class);
    target(account).inside = () -> target(account).locks.getLock("account").forceUnlock();
    assertThrows(LeaseLostException.class, account::incrementInOwnTransaction);
    assertEquals(0, target(account).balance());
    assertThrows(
        LeaseLostException.class,
        () -> transaction(context).executeWithoutResult(status -> account.increment()));
    assertEquals(0, target(account).balance());
  }

  @Test
  void aTransactionWhoseLockIsLostAfterTheMethodDoesNotCommitEither() {
    var context = start(settings(InTransaction.HOLD));
    Account account = context.getBean(Account.class);
    assertThrows(
        LeaseLostException.class,
        () ->
            transaction(context)
                .executeWithoutResult(status -> {
                  account.increment();
                  assertFalse(account.isFree());
                  target(account).locks.getLock("account").forceUnlock();
                }));
    assertEquals(0, target(account).balance());
  }

  @Test
  void withoutTheGuardATransactionCommitsUnderALostLock() {
    var context = start(settings(InTransaction.RELEASE));
    Account account = context.getBean(Account.class);
    var manager = (DataSourceTransactionManager) context.getBean(PlatformTransactionManager.class);
    assertEquals(1, manager.getTransactionExecutionListeners().size());
    manager.setTransactionExecutionListeners(List.of());
    target(account).inside = () -> target(account).locks.getLock("account").forceUnlock();
    assertThrows(LeaseLostException.class, account::incrementInOwnTransaction);
    assertEquals(1, target(account).balance());
  }

  @Test
  void theLockIsReleasedAfterAllOthersHaveSeenTheEndOfTheTransaction() {
    var context = start(settings(InTransaction.HOLD));
    Account account = context.getBean(Account.class);
    List<Boolean> free = new ArrayList<>();
    transaction(context)
        .executeWithoutResult(status -> {
          account.increment();
          TransactionSynchronizationManager.registerSynchronization(
              new TransactionSynchronization() {
                @Override
                public void afterCompletion(int outcome) {
                  free.add(account.isFree());
                }
              });
        });
    assertEquals(List.of(false), free);
    assertTrue(account.isFree());
  }

  /** As JTA may do after a timeout. */
  @Test
  void aHoldWhoseTransactionAnotherThreadEndsIsReleasedByItsOwnThreadAtTheNextUse()
      throws Exception {
    Account account = start(settings(InTransaction.HOLD)).getBean(Account.class);
    TransactionSynchronizationManager.initSynchronization();
    TransactionSynchronizationManager.setActualTransactionActive(true);
    account.lookAround();
    var ending = TransactionSynchronizationManager.getSynchronizations();
    TransactionSynchronizationManager.clear();
    Thread other = new Thread(() -> ending.forEach(each -> each.afterCompletion(STATUS_UNKNOWN)));
    other.start();
    other.join();
    assertFalse(account.isFree());
    assertThrows(IllegalStateException.class, () -> LockContext.ensureHeld("account"));
    assertTrue(account.isFree());
    account.incrementInOwnTransaction();
    assertTrue(account.isFree());
    assertEquals(1, target(account).balance());
  }

  @Test
  void aMethodWhoseTransactionAnotherThreadEndsKeepsItsLockUntilItReturns() {
    Account account = start(settings(InTransaction.HOLD)).getBean(Account.class);
    TransactionSynchronizationManager.initSynchronization();
    TransactionSynchronizationManager.setActualTransactionActive(true);
    target(account).inside =
        () -> {
          var ending = TransactionSynchronizationManager.getSynchronizations();
          CompletableFuture.runAsync(
                  () -> ending.forEach(each -> each.afterCompletion(STATUS_UNKNOWN)))
              .join();
          LockContext.ensureHeld("account");
          assertFalse(account.isFree());
        };
    account.lookAround();
    TransactionSynchronizationManager.clear();
    assertTrue(account.isFree());
  }

  @Test
  void aLockOfARolledBackTransactionIsReleased() {
    var context = start(settings(InTransaction.HOLD));
    Account account = context.getBean(Account.class);
    transaction(context)
        .executeWithoutResult(status -> {
          account.increment();
          status.setRollbackOnly();
        });
    assertTrue(account.isFree());
    assertEquals(0, target(account).balance());
  }
}
