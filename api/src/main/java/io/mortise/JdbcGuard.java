package io.mortise;

import io.mortise.internal.lock.Tokens;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Guards rows of a table: it refuses a write if a later holder of the lock has already written. The
 * table needs a {@code BIGINT} column for the fencing token of the last write. It is {@code NULL}
 * or 0 in a row that was never written under a token.
 *
 * <pre>{@code
 * JdbcGuard orders = JdbcGuard.of("orders", "id", "fence");
 * long token = lock.lockAndGetToken();
 * try (Connection connection = dataSource.getConnection()) {
 *   orders.update(connection, 42, token, "state = ?, paid = ?", "PAID", amount);
 * } finally {
 *   lock.unlock();
 * }
 * }</pre>
 *
 * <p>The check is part of the {@code UPDATE}, so the database decides it under its row lock. It
 * works with auto-commit, and in a transaction at {@code READ COMMITTED} or any higher isolation
 * level. All writers of a row must use the guard, with tokens of one lock. If the driver reports
 * that no row was updated, the guard reads the row's token with {@code SELECT}, and only if that is
 * not larger with {@code SELECT … FOR UPDATE}. So it also works with drivers that count changed
 * rows instead of found ones.
 *
 * <p>Thread-safe. A guard keeps only the names. It neither commits nor closes the connection.
 */
public final class JdbcGuard {
  private static final Pattern NAME =
      Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$]*(\\.[\\p{L}_][\\p{L}\\p{N}_$]*)*|\"[^\"]+\"");

  private final String table;
  private final String set;
  private final String fence;
  private final String look;

  private JdbcGuard(String table, String key, String fence) {
    this.table = table;
    set = "UPDATE " + table + " SET ";
    this.fence =
        fence + " = ? WHERE " + key + " = ? AND (" + fence + " IS NULL OR " + fence + " <= ?)";
    look = "SELECT " + fence + " FROM " + table + " WHERE " + key + " = ?";
  }

  /**
   * Creates a guard of a table's rows. It does not touch the database.
   *
   * @param table the table's name, as in SQL
   * @param keyColumn the column that identifies a row
   * @param fenceColumn the column of the tokens, which only guards write
   * @return a guard of that table
   * @throws IllegalArgumentException a name is neither plain nor in double quotes
   */
  public static JdbcGuard of(String table, String keyColumn, String fenceColumn) {
    return new JdbcGuard(
        name("table", table), name("key column", keyColumn), name("fence column", fenceColumn));
  }

  /** Names become part of the SQL text, so only plain or quoted ones are allowed. */
  private static String name(String what, String name) {
    if (!NAME.matcher(Objects.requireNonNull(name, what)).matches()) {
      throw new IllegalArgumentException(
          "%s '%s' is no name in SQL; use letters, digits, _ and $, parts with a dot between them, or one name in double quotes"
              .formatted(what, name));
    }
    return name;
  }

  /**
   * Updates a row, unless a later holder has written it.
   *
   * @param connection in auto-commit mode or in a transaction
   * @param key the value of the key column
   * @param token the fencing token of the caller's hold
   * @param assignments the text after {@code SET}, such as {@code "state = ?"}; it becomes part of
   *     the SQL, so never build it from untrusted input
   * @param values the values for the question marks in the assignments
   * @throws StaleTokenException a later holder has written; the row is unchanged
   * @throws IllegalArgumentException the token was never issued
   * @throws IllegalStateException there is no such row, or the database keeps updates from it
   * @throws SQLException as the driver throws it
   */
  public void update(
      Connection connection, Object key, long token, String assignments, @Nullable Object... values)
      throws SQLException {
    if (assignments.isBlank()) {
      throw new IllegalArgumentException(
          this + ": no assignments; give it what stands after SET, or call check()");
    }
    run(connection, set + assignments + ", " + fence, key, token, values);
  }

  /**
   * Records the token in the row and locks the row until the transaction ends, unless a later
   * holder has written it. Everything that the same transaction then writes, in any table, is
   * guarded too.
   *
   * @param connection in a transaction
   * @param key the value of the key column
   * @param token the fencing token of the caller's hold
   * @throws StaleTokenException a later holder has written; roll back
   * @throws IllegalArgumentException the token was never issued
   * @throws IllegalStateException the connection is in auto-commit mode, there is no such row, or
   *     the database keeps updates from it
   * @throws SQLException as the driver throws it
   */
  public void check(Connection connection, Object key, long token) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          this
              + ": the connection commits every statement, so a check protects nothing after it; call setAutoCommit(false) first, or update()");
    }
    run(connection, set + fence, key, token);
  }

  private void run(
      Connection connection, String sql, Object key, long token, @Nullable Object... values)
      throws SQLException {
    Tokens.check(this, Objects.requireNonNull(key, "key"), token);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int next = 1;
      for (@Nullable Object value : values) {
        statement.setObject(next++, value);
      }
      statement.setLong(next++, token);
      statement.setObject(next++, key);
      statement.setLong(next, token);
      if (statement.executeUpdate() == 0) {
        judge(connection, key, token);
      }
    }
  }

  /**
   * Says what an update of no row means. A driver may count found rows, or only changed ones. So
   * none is a refusal, or the same holder writing the same values again. The token in the row
   * decides. A plain query may read an old snapshot of the row, where only a larger token is proof.
   */
  private void judge(Connection connection, Object key, long token) throws SQLException {
    long seen = token(connection, look, key);
    if (seen >= 0 && seen <= token) {
      seen = token(connection, look + " FOR UPDATE", key);
    }
    if (seen > token) {
      throw Tokens.stale(this, key, token, seen);
    }
    if (seen < 0) {
      throw new IllegalStateException(
          "%s has no row of key '%s', and nothing was written; insert it first, without a token"
              .formatted(this, key));
    }
    if (seen < token) {
      throw new IllegalStateException(
          "%s, key '%s': the database updated no row, but its token is %d, not larger than %d; look for a trigger, a view or a policy that keeps updates from the row"
              .formatted(this, key, seen, token));
    }
  }

  /** Reads the token of the row, 0 if it has none, or -1 if there is no row. */
  private static long token(Connection connection, String query, Object key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setObject(1, key);
      try (ResultSet rows = statement.executeQuery()) {
        long largest = -1;
        while (rows.next()) {
          largest = Math.max(largest, rows.getLong(1));
        }
        return largest;
      }
    }
  }

  @Override
  public String toString() {
    return "guard of table " + table;
  }
}
