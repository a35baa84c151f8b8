package io.mortise.it;

import io.mortise.spring.WithLock;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Books in the database, in a transaction under a lock. */
@Service
public class Ledger {
  private final JdbcTemplate sql;

  Ledger(JdbcTemplate sql) {
    this.sql = sql;
  }

  public void create() {
    sql.execute("drop table if exists booking");
    sql.execute("create table booking (id int)");
  }

  @Transactional
  @WithLock("ledger")
  public void book(Runnable inside) {
    sql.update("insert into booking values (1)");
    inside.run();
  }

  public int count() {
    return sql.queryForObject("select count(*) from booking", Integer.class);
  }
}
