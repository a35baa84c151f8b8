package io.mortise;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses writes to rows of a table from holders whose lock is somebody else's by now. The table
 * has a column for the fencing token of the last write, {@code BIGINT}, {@code NULL} or 0 in a row
 * that was never written under a token.
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
 * <p>The check is part of the {@code UPDATE}, and the database decides it under its row lock: it
 * holds with auto-commit, and in a transaction at any isolation level from {@code READ COMMITTED}
 * on. All writers of a row must pass the guard, with tokens of one lock.
 *
 * <p>Thread-safe; keeps nothing but the names. The connection stays the caller's: neither committed
 * nor closed here.
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
   * A guard of a table's rows.
   *
   * @param table its name, as it is written in SQL
   * @param keyColumn the column that tells one row from all others
   * @param fenceColumn the column of the tokens, used by nobody else
   * @return a guard that has not looked at the database
   * @throws IllegalArgumentException a name is neither plain, nor in double quotes
   */
  public static JdbcGuard of(String table, String keyColumn, String fenceColumn) {
    return new JdbcGuard(
        name("table", table), name("key column", keyColumn), name("fence column", fenceColumn));
  }

  /** Names go into the SQL as they are. */
  private static String name(String what, String name) {
    if (!NAME.matcher(Objects.requireNonNull(name, what)).matches()) {
      throw new IllegalArgumentException(
          "%s '%s' is no name in SQL; use letters, digits, _ and $, parts with a dot between them, or one name in double quotes"
              .formatted(what, name));
    }
    return name;
  }

  /**
   * Updates a row, unless a later holder has updated it.
   *
   * @param connection in auto-commit mode or in a transaction
   * @param key of the row
   * @param token of the hold under which the caller writes
   * @param assignments what stands after {@code SET}, such as {@code "state = ?"}; part of the SQL,
   *     so never made of foreign input
   * @param values for the question marks in the assignments
   * @throws StaleTokenException a later holder has written; the row is as it was
   * @throws IllegalArgumentException the token was never issued
   * @throws IllegalStateException there is no such row
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
   * holder has written. What the same transaction then writes, also elsewhere, is guarded like the
   * row.
   *
   * @param connection in a transaction
   * @param key of the row
   * @param token of the hold under which the caller writes
   * @throws StaleTokenException a later holder has written; roll back
   * @throws IllegalArgumentException the token was never issued
   * @throws IllegalStateException the connection commits by itself, or there is no such row
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
        throw refused(connection, key, token);
      }
    }
  }

  private RuntimeException refused(Connection connection, Object key, long token)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(look)) {
      statement.setObject(1, key);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next()
            ? Tokens.stale(this, key, token, rows.getLong(1))
            : new IllegalStateException(
                "%s has no row of key '%s', and nothing was written; insert it first, without a token"
                    .formatted(this, key));
      }
    }
  }

  @Override
  public String toString() {
    return "guard of table " + table;
  }
}
