package io.mortise;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.h2.api.Trigger;
import org.jspecify.annotations.Nullable;

/**
 * A driver that counts the rows that an update has changed, not those that it has found, as MySQL's
 * and MariaDB's do with {@code useAffectedRows}. If there is a table {@code <table>_before}, a
 * query without a lock reads that one: the snapshot of {@code REPEATABLE READ}.
 */
final class ChangedRows {
  private ChangedRows() {}

  static Connection counting(Connection real, String table) {
    return proxy(
        Connection.class,
        (self, method, args) -> {
          if (!method.getName().equals("prepareStatement")) {
            return call(method, real, args);
          }
          String sql = String.valueOf(args[0]);
          boolean old =
              sql.startsWith("SELECT")
                  && !sql.endsWith("FOR UPDATE")
                  && rows(real, "information_schema.tables").contains(table + "_before");
          String text = old ? sql.replace("FROM " + table, "FROM " + table + "_before") : sql;
          return counting(real.prepareStatement(text), real, table);
        });
  }

  private static PreparedStatement counting(
      PreparedStatement real, Connection connection, String table) {
    return proxy(
        PreparedStatement.class,
        (self, method, args) -> {
          String before = rows(connection, table);
          Object result = call(method, real, args);
          boolean changed = !before.equals(rows(connection, table));
          return method.getName().equals("executeUpdate") && !changed ? 0 : result;
        });
  }

  private static String rows(Connection connection, String table) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery("select * from " + table)) {
      while (found.next()) {
        StringBuilder row = new StringBuilder();
        for (int column = 1; column <= found.getMetaData().getColumnCount(); column++) {
          row.append(found.getString(column)).append('|');
        }
        rows.add(row.toString());
      }
    }
    return rows.toString().toLowerCase(Locale.ROOT);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object call(Method method, Object real, Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(real, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Takes an update, and changes nothing. */
  public static final class Deaf implements Trigger {
    @Override
    public void fire(
        Connection connection, Object @Nullable [] before, Object @Nullable [] after) {}
  }
}
