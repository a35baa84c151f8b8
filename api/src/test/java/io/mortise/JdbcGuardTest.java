package io.mortise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The guard of a table's rows, on H2. */
class JdbcGuardTest {
  private static final String URL = "jdbc:h2:mem:guard";

  private final JdbcGuard guard = JdbcGuard.of("orders", "id", "fence");
  private final Connection connection = open();

  private static Connection open() {
    try {
      return DriverManager.getConnection(URL);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeEach
  void aTableOfTwoRows() throws SQLException {
    run(
        "create table orders(id bigint primary key, state varchar(20), note varchar(20), fence bigint)");
    run("insert into orders values (1, 'NEW', 'note', null), (2, 'NEW', 'note', 0)");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close(); // the last connection drops the database
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String row(long id) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("select state, note, fence from orders where id = " + id)) {
      assertTrue(rows.next());
      return rows.getString(1) + ' ' + rows.getString(2) + ' ' + rows.getLong(3);
    }
  }

  private void update(long id, long token, String state) throws SQLException {
    guard.update(connection, id, token, "state = ?", state);
  }

  @Test
  void aLaterTokenWritesAndAnEarlierOneIsRefused() throws SQLException {
    for (long id = 1; id <= 2; id++) {
      long row = id;
      update(row, 7, "a");
      update(row, 9, "b");

      StaleTokenException e = assertThrows(StaleTokenException.class, () -> update(row, 8, "late"));

      assertEquals("b note 9", row(row));
      assertEquals(8, e.token());
      assertEquals(9, e.seen());
      String message = String.valueOf(e.getMessage());
      assertTrue(message.contains("table orders, key '" + row + "': token 8"), message);
      assertTrue(message.contains("nothing was written, lock and read again"), message);
    }
  }

  @Test
  void oneTokenWritesAsOftenAsItsHolderLikes() throws SQLException {
    update(1, 7, "a");
    update(1, 7, "b");
    assertEquals("b note 7", row(1));
    assertEquals("NEW note 0", row(2), "other rows are not touched");
  }

  @Test
  void severalColumnsAreSetAtOnceAndNullIsAValue() throws SQLException {
    guard.update(connection, 1, 7, "state = upper(?), note = ?", "100%s", null);
    assertEquals("100%S null 7", row(1));
    guard.update(connection, 1, 8, "note = 'a%sb'");
    assertEquals("100%S a%sb 8", row(1));
  }

  @Test
  void whatATransactionWritesAfterTheCheckIsGuardedToo() throws SQLException {
    connection.setAutoCommit(false);
    guard.check(connection, 1, 9);
    run("update orders set note = 'with it' where id = 2");
    connection.commit();

    assertThrows(StaleTokenException.class, () -> guard.check(connection, 1, 8));
    connection.rollback();
    assertEquals("NEW note 9", row(1));
    assertEquals("NEW with it 0", row(2));
  }

  @Test
  void anEarlierTokenWaitsForTheTransactionThatHasChecked() throws Exception {
    connection.setAutoCommit(false);
    guard.check(connection, 1, 9);
    CompletableFuture<Void> late =
        CompletableFuture.runAsync(() -> {
          try (Connection theirs = open()) {
            guard.update(theirs, 1, 8, "state = 'late'");
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
    awaitBlocked(late);
    update(1, 9, "mine");
    connection.commit();

    Throwable failure = late.handle((done, thrown) -> thrown).get(10, TimeUnit.SECONDS);
    assertTrue(
        failure != null && failure.getCause() instanceof StaleTokenException,
        String.valueOf(failure));
    assertEquals("mine note 9", row(1));
  }

  /** Waits until the session of the update waits for a row of this session. */
  private static void awaitBlocked(CompletableFuture<Void> late) throws SQLException {
    String waiting =
        "select count(*) from information_schema.sessions where blocker_id is not null";
    for (boolean blocked = false; !blocked; ) {
      assertFalse(late.isDone(), "it did not wait");
      try (Connection looking = open();
          Statement statement = looking.createStatement();
          ResultSet rows = statement.executeQuery(waiting)) {
        blocked = rows.next() && rows.getLong(1) > 0;
      }
    }
  }

  @Test
  void aCheckWithoutATransactionIsRefused() throws SQLException {
    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> guard.check(connection, 1, 9));
    assertTrue(String.valueOf(e.getMessage()).contains("setAutoCommit(false)"), e.getMessage());
    assertEquals("NEW note 0", row(1));
  }

  @Test
  void aDriverThatCountsChangedRowsIsAskedForTheTokenOfTheRow() throws SQLException {
    Connection counting = ChangedRows.counting(connection, "orders");
    for (long id = 1; id <= 2; id++) {
      long row = id;
      for (int times = 0; times < 2; times++) {
        guard.update(counting, row, 7, "state = ?", "PAID");
      }
      counting.setAutoCommit(false);
      for (int times = 0; times < 2; times++) {
        guard.check(counting, row, 9);
      }
      counting.commit();
      counting.setAutoCommit(true);

      StaleTokenException e =
          assertThrows(
              StaleTokenException.class, () -> guard.update(counting, row, 8, "state = ?", "PAID"));

      assertEquals(9, e.seen());
      assertEquals("PAID note 9", row(row));
    }
    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> guard.update(counting, 3, 9, "note = 'x'"));
    assertTrue(String.valueOf(e.getMessage()).contains("no row of key '3'"), e.getMessage());
  }

  /**
   * As with {@code REPEATABLE READ} on MySQL: an update sees the newest row, a query an old one.
   */
  @Test
  void theTokenOfTheRowIsNotReadFromASnapshot() throws SQLException {
    update(1, 7, "mine");
    run("create table orders_before as select * from orders");
    update(1, 9, "theirs");
    Connection snapshot = ChangedRows.counting(connection, "orders");

    for (long token : new long[] {7, 8}) {
      StaleTokenException e =
          assertThrows(
              StaleTokenException.class,
              () -> guard.update(snapshot, 1, token, "state = ?", "late"));
      assertEquals(9, e.seen());
    }

    assertEquals("theirs note 9", row(1));
    run("drop table orders_before");
  }

  @Test
  void aRowThatTookNoUpdateForAnotherReasonWasNotWritten() throws SQLException {
    run("create view old_orders as select * from orders");
    run(
        "create trigger deaf instead of update on old_orders for each row call '%s'"
            .formatted(ChangedRows.Deaf.class.getName()));
    Connection counting = ChangedRows.counting(connection, "old_orders");
    JdbcGuard deaf = JdbcGuard.of("old_orders", "id", "fence");

    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> deaf.update(counting, 2, 9, "note = 'x'"));

    assertTrue(String.valueOf(e.getMessage()).contains("its token is 0"), e.getMessage());
    run("drop view old_orders");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, (1L << 53) + 1, Long.MAX_VALUE})
  void aTokenThatWasNeverIssuedIsRefused(long token) throws SQLException {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> update(1, token, "bad"));
    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains("table orders, key '1': token " + token), message);
    assertTrue(message.contains("fencingToken()"), message);
    assertEquals("NEW note 0", row(1));
  }

  @Test
  void aRowThatIsNotThereIsNoStaleToken() {
    IllegalStateException e = assertThrows(IllegalStateException.class, () -> update(3, 9, "x"));
    assertTrue(
        String.valueOf(e.getMessage()).contains("no row of key '3'"),
        String.valueOf(e.getMessage()));
  }

  @Test
  void whatIsNoNameIsRefused() {
    for (String bad : new String[] {"", "a b", "a;drop", "1a", "a.", "\"", "a = 1 or b"}) {
      for (int place = 0; place < 3; place++) {
        String[] names = {"orders", "id", "fence"};
        names[place] = bad;
        assertThrows(
            IllegalArgumentException.class, () -> JdbcGuard.of(names[0], names[1], names[2]));
      }
    }
    assertThrows(IllegalArgumentException.class, () -> guard.update(connection, 1, 9, " "));
    assertFalse(JdbcGuard.of("public.orders", "\"odd %s name\"", "Fencé_1").toString().isEmpty());
  }

  @Test
  void namesMayHaveASchemaAndQuotes() throws SQLException {
    run("alter table orders alter column note rename to \"my %s note\"");
    JdbcGuard quoted = JdbcGuard.of("public.orders", "\"my %s note\"", "FENCE");
    quoted.update(connection, "note", 5, "state = ?", "both");
    run("alter table orders alter column \"my %s note\" rename to note");
    assertEquals("both note 5", row(1));
    assertEquals("both note 5", row(2));
  }
}
