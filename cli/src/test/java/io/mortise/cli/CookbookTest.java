package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.JdbcGuard;
import io.mortise.LeaderElection;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.LossCause;
import io.mortise.StaleTokenException;
import io.mortise.junit.LockWorld;
import io.mortise.junit.MortiseTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The recipes of docs/cookbook.md do what the page says. */
@SuppressWarnings("try") // a permit is only held
class CookbookTest {
  // recipe
  /** Returns whether this process has run the job. A job that fails may be run by another one. */
  static boolean runInOneProcess(DistributedLock lock, Duration atLeast, Runnable job) {
    if (!lock.tryLock()) {
      return false; // another process runs it, or has just run it
    }
    long start = System.nanoTime();
    boolean done = false;
    try {
      job.run();
      done = true;
    } finally {
      if (done) {
        lock.unlockAfter(atLeast.minusNanos(System.nanoTime() - start));
      } else {
        lock.unlock();
      }
    }
    return true;
  }

  // end of recipe

  // recipe
  /** Returns whether this call has paid the order. */
  static boolean pay(LockService locks, Connection database, long order, Consumer<String> bank)
      throws SQLException {
    FencedLock lock = locks.getFencedLock("orders:" + order);
    long token = lock.lockAndGetToken();
    try {
      if (isPaid(database, order)) {
        return false;
      }
      bank.accept("order-" + order); // the key of the payment: the bank charges once for each
      JdbcGuard.of("orders", "id", "fence").update(database, order, token, "state = ?", "PAID");
      return true;
    } finally {
      lock.unlock();
    }
  }

  static boolean isPaid(Connection database, long order) throws SQLException {
    try (PreparedStatement look =
        database.prepareStatement("select id from orders where id = ? and state = 'PAID'")) {
      look.setLong(1, order);
      try (ResultSet found = look.executeQuery()) {
        return found.next();
      }
    }
  }

  // end of recipe

  // recipe
  /** Each process calls it once. The leader is told, and told again when it leads no more. */
  static LeaderElection join(LockService locks, LongConsumer start, Runnable stop) {
    return LeaderElection.join(
        locks.getFencedLock("poller"),
        new LeaderElection.Leader() {
          @Override
          public void onElected(long term) { // must not block for long
            start.accept(term);
          }

          @Override
          public void onRevoked(long term, Optional<LossCause> loss) {
            stop.run();
          }
        });
  }

  /** One round of a loop that all processes run. The term is a fencing token. */
  static void poll(LeaderElection election, LongConsumer work) {
    election.term().ifPresent(work);
  }

  // end of recipe

  // recipe
  /** Does the parts that no other process is at. All processes call it with the same parts. */
  static void workOn(
      LockService locks, List<String> parts, Predicate<String> isDone, Consumer<String> work) {
    for (String part : parts) {
      DistributedLock lock = locks.getLock("import:" + part);
      if (!isDone.test(part) && lock.tryLock()) {
        try {
          if (!isDone.test(part)) { // it may have been done before the lock was free
            work.accept(part); // and marks it as done
          }
        } finally {
          lock.unlock();
        }
      }
    }
  }

  // end of recipe

  // recipe
  static void migrate(
      DistributedLock lock, Duration patience, BooleanSupplier isDone, Runnable migration)
      throws InterruptedException {
    if (isDone.getAsBoolean()) {
      return; // most starts end here, without a command
    }
    if (!lock.tryLock(patience)) {
      throw new IllegalStateException("a migration goes on elsewhere: " + lock.holder());
    }
    try {
      if (!isDone.getAsBoolean()) {
        migration.run();
      }
    } finally {
      lock.unlock(); // LeaseLostException: look what has been done before you go on
    }
  }

  // end of recipe

  // recipe
  /** At most as many calls at a time as the semaphore has permits. */
  static <T> T call(DistributedSemaphore calls, Callable<T> api) throws Exception {
    try (Lease lease = calls.acquire()) {
      return api.call();
    }
  }

  /**
   * Returns false if no permit is free: as many calls still run, or have ended within the time
   * before.
   */
  static boolean tryCall(DistributedSemaphore calls, Duration window, Runnable api) {
    Optional<Lease> lease = calls.tryAcquire();
    lease.ifPresent(granted -> {
      try {
        api.run();
      } finally {
        granted.closeAfter(window); // counted from the end of the call
      }
    });
    return lease.isPresent();
  }

  // end of recipe

  @Test
  void thePageHasThisCode() throws Exception {
    String page = words(Files.readString(Path.of("../docs/cookbook.md")));
    String[] parts =
        Files.readString(Path.of("src/test/java/io/mortise/cli/CookbookTest.java"))
            .split("\n *// (end of )?recipe\n", -1);
    assertEquals(13, parts.length);
    for (int i = 1; i < parts.length; i += 2) {
      assertTrue(page.contains(words(parts[i])), "docs/cookbook.md differs from " + parts[i]);
    }
  }

  private static String words(String text) {
    return Arrays.stream(text.split("\\s+")).collect(Collectors.joining());
  }

  @Nested
  @MortiseTest
  class OneJob {
    private final AtomicInteger runs = new AtomicInteger();

    private boolean run(LockService locks) {
      return runInOneProcess(
          locks.getLock("reports"), Duration.ofMinutes(1), runs::incrementAndGet);
    }

    @Test
    void oneProcessRunsItAndTheOthersSkipIt(LockService locks, LockWorld world) {
      LockService late = world.anotherProcess();
      assertTrue(run(locks));
      assertFalse(run(late)); // its clock is behind
      assertEquals(1, runs.get());

      world.advance(Duration.ofSeconds(61));
      assertTrue(run(late)); // the next time
    }

    @Test
    void aJobThatFailsIsRunElsewhereAtOnce(LockService locks, LockWorld world) {
      Runnable failing =
          () -> {
            throw new IllegalArgumentException("its own");
          };
      DistributedLock lock = locks.getLock("reports");
      assertThrows(
          IllegalArgumentException.class,
          () -> runInOneProcess(lock, Duration.ofMinutes(1), failing));
      assertTrue(run(world.anotherProcess()));
    }

    @Test
    void theJobOfAProcessThatDiesIsFreeAfterItsLease(LockWorld world) {
      LockService dying = world.anotherProcess();
      dying.getLock("reports").lock();
      world.crash(dying);
      assertFalse(run(world.service()));
      world.advance(Duration.ofSeconds(31));
      assertTrue(run(world.service()));
      world.advance(Duration.ofSeconds(61)); // the time of unlockAfter
    }
  }

  @Nested
  @MortiseTest
  class Payment {
    private final Set<String> charged = new HashSet<>();

    private static Connection database(String name) throws SQLException {
      Connection database = DriverManager.getConnection("jdbc:h2:mem:" + name);
      try (Statement statement = database.createStatement()) {
        statement.execute(
            "create table orders(id int primary key, state varchar(9), fence bigint)");
        statement.execute("insert into orders values (42, 'NEW', null)");
      }
      return database;
    }

    @Test
    void anOrderIsPaidOnce(LockService locks, LockWorld world) throws SQLException {
      try (Connection database = database("once")) {
        List<String> asked = new ArrayList<>();
        assertTrue(pay(locks, database, 42, asked::add));
        assertFalse(pay(world.anotherProcess(), database, 42, asked::add));
        assertEquals(List.of("order-42"), asked);
      }
    }

    @Test
    void aPausedProcessChangesNothing(LockService locks, LockWorld world) throws SQLException {
      LockService other = world.anotherProcess();
      try (Connection database = database("paused")) {
        Consumer<String> paused =
            key -> {
              charged.add(key);
              other.getLock("orders:42").forceUnlock(); // as if its lease had ended
              assertTrue(payElsewhere(other, database));
            };
        RuntimeException thrown =
            assertThrows(RuntimeException.class, () -> pay(locks, database, 42, paused));

        assertTrue(thrown instanceof LeaseLostException, thrown::toString);
        assertEquals(Set.of("order-42"), charged);
        assertTrue(isPaid(database, 42));
      }
    }

    private boolean payElsewhere(LockService other, Connection database) {
      try {
        return pay(other, database, 42, charged::add);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Test
    void theGuardRefusesTheWriteOfThePausedProcess(LockService locks, LockWorld world)
        throws SQLException {
      try (Connection database = database("guard")) {
        FencedLock lock = locks.getFencedLock("orders:42");
        long old = lock.lockAndGetToken();
        world.anotherProcess().getLock("orders:42").forceUnlock();
        assertTrue(payElsewhere(world.anotherProcess(), database));
        JdbcGuard orders = JdbcGuard.of("orders", "id", "fence");
        assertThrows(
            StaleTokenException.class,
            () -> orders.update(database, 42, old, "state = ?", "FAILED"));
        assertThrows(LeaseLostException.class, lock::unlock);
      }
    }
  }

  @Nested
  @MortiseTest
  class Leader {
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    private LeaderElection join(String name, LockService locks) {
      return CookbookTest.join(
          locks, term -> told.add(name + " leads"), () -> told.add(name + " stops"));
    }

    private String next() throws InterruptedException {
      return String.valueOf(told.poll(60, TimeUnit.SECONDS));
    }

    @Test
    void oneProcessLeadsAndTheNextOneFollowsACrash(LockService locks, LockWorld world)
        throws InterruptedException {
      LockService dying = world.anotherProcess();
      LeaderElection first = join("first", dying);
      assertEquals("first leads", next());
      try (LeaderElection second = join("second", locks)) {
        world.awaitWaiting("poller", 1);
        List<Long> terms = new ArrayList<>();
        poll(second, terms::add);
        assertEquals(List.of(), terms);
        poll(first, terms::add);

        world.crash(dying);
        assertEquals("first stops", next());
        world.advance(Duration.ofSeconds(31));
        assertEquals("second leads", next());
        poll(second, terms::add);
        assertEquals(2, terms.size());
        assertTrue(terms.get(1) > terms.get(0), terms::toString);
      }
    }
  }

  @Nested
  @MortiseTest
  class Batch {
    private static final List<String> PARTS = List.of("a", "b", "c");
    private final List<String> done = new ArrayList<>();

    @Test
    void aPartThatAnotherProcessIsAtIsLeftToIt(LockService locks, LockWorld world) {
      LockService other = world.anotherProcess();
      other.getLock("import:b").lock();
      workOn(locks, PARTS, done::contains, done::add);
      assertEquals(List.of("a", "c"), done);
      other.getLock("import:b").unlock();

      workOn(other, PARTS, done::contains, done::add);
      assertEquals(List.of("a", "c", "b"), done);
    }

    @Test
    void thePartOfAProcessThatDiesIsDoneAfterItsLease(LockService locks, LockWorld world) {
      LockService dying = world.anotherProcess();
      dying.getLock("import:b").lock();
      world.crash(dying);
      world.advance(Duration.ofSeconds(31));
      workOn(locks, PARTS, done::contains, done::add);
      assertEquals(PARTS, done);
    }
  }

  @Nested
  @MortiseTest
  class Migration {
    private final AtomicInteger runs = new AtomicInteger();

    private CompletableFuture<Void> start(LockService locks) {
      return CompletableFuture.runAsync(() -> {
        try {
          migrate(
              locks.getLock("migration"),
              Duration.ofMinutes(10),
              () -> runs.get() > 0,
              runs::incrementAndGet);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      });
    }

    @Test
    void theOtherProcessesWaitAndThenHaveNothingToDo(LockService locks, LockWorld world)
        throws Exception {
      LockService first = world.anotherProcess();
      first.getLock("migration").lock();
      CompletableFuture<Void> waiting = start(locks);
      world.awaitWaiting("migration", 1);
      runs.incrementAndGet();
      first.getLock("migration").unlock();

      waiting.get(60, TimeUnit.SECONDS);
      assertEquals(1, runs.get());
    }

    @Test
    void aStartThatWaitsTooLongFails(LockService locks, LockWorld world) {
      LockService first = world.anotherProcess();
      first.getLock("migration").lock();
      CompletableFuture<Void> waiting = start(locks);
      world.awaitWaiting("migration", 1);
      world.advance(Duration.ofMinutes(10));

      Exception failure = assertThrows(Exception.class, () -> waiting.get(60, TimeUnit.SECONDS));
      assertTrue(failure.getCause() instanceof IllegalStateException, failure::toString);
      assertEquals(0, runs.get());
    }
  }

  @Nested
  @MortiseTest
  class Rate {
    @Test
    void asManyCallsAtATimeAsThereArePermits(LockService locks) throws Exception {
      DistributedSemaphore calls = locks.getSemaphore("api", 2);
      assertEquals(1, call(calls, () -> calls.availablePermits()));
      assertEquals(2, calls.availablePermits());
    }

    @Test
    void asManyCallsInAWindowAsThereArePermits(LockService locks, LockWorld world) {
      DistributedSemaphore calls = locks.getSemaphore("api", 2);
      AtomicInteger runs = new AtomicInteger();
      Duration window = Duration.ofMinutes(1);
      assertTrue(tryCall(calls, window, runs::incrementAndGet));
      world.advance(Duration.ofSeconds(30));
      assertTrue(tryCall(calls, window, runs::incrementAndGet));
      assertFalse(tryCall(calls, window, runs::incrementAndGet));

      world.advance(Duration.ofSeconds(31));
      assertTrue(tryCall(calls, window, runs::incrementAndGet));
      assertFalse(tryCall(calls, window, runs::incrementAndGet));
      assertEquals(3, runs.get());
      world.advance(Duration.ofMinutes(2));
    }
  }
}
