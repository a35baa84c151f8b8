package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.FencedLock;
import io.mortise.JdbcGuard;
import io.mortise.KeyGuard;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.StaleTokenException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The example of docs/locks/fenced.md: the lock is in one store, the protected data in others. */
class FencedRowTest {
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final JdbcGuard orders = JdbcGuard.of("orders", "id", "fence");

  @Test
  void aHolderThatWakesAfterItsLeaseChangesNothing() throws SQLException {
    try (Connection database = DriverManager.getConnection("jdbc:h2:mem:orders");
        LockService one = LockService.of(store.backend());
        LockService other = LockService.of(store.backend())) {
      run(database, "create table orders(id int primary key, state varchar(9), fence bigint)");
      run(database, "insert into orders values (42, 'NEW', null)");
      KeyGuard stock = KeyGuard.of(InMemoryStore.create().backend());
      FencedLock paused = one.getFencedLock("orders:42").withLease(Duration.ofSeconds(30));
      FencedLock next = other.getFencedLock("orders:42");

      long old = paused.lockAndGetToken();
      orders.update(database, 42, old, "state = ?", "OPEN");
      store.advance(Duration.ofSeconds(31)); // the holder is frozen, and its lease ends
      long token = next.lockAndGetToken();
      orders.update(database, 42, token, "state = ?", "PAID");
      stock.set("stock:42", "16", token);

      assertThrows(
          StaleTokenException.class,
          () -> orders.update(database, 42, old, "state = ?", "CANCELLED"));
      assertThrows(StaleTokenException.class, () -> stock.set("stock:42", "17", old));
      assertEquals("PAID", state(database));

      run(database, "update orders set state = 'CANCELLED' where id = 42"); // without the guard
      assertEquals("CANCELLED", state(database));
      assertThrows(LeaseLostException.class, paused::unlock);
      next.unlock();
    }
  }

  private static void run(Connection database, String sql) throws SQLException {
    try (Statement statement = database.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String state(Connection database) throws SQLException {
    try (Statement statement = database.createStatement();
        ResultSet rows = statement.executeQuery("select state from orders where id = 42")) {
      assertTrue(rows.next());
      return rows.getString(1);
    }
  }
}
