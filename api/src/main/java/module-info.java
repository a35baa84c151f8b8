/** Distributed locks with the contract of {@code java.util.concurrent.locks}. */
module io.mortise.api {
  requires transitive io.mortise.spi;
  requires static transitive org.jspecify;
  requires static transitive java.sql; // JdbcGuard alone; who calls it has it
  requires static jdk.jfr; // flight recordings, where the runtime has them
  requires org.slf4j;

  exports io.mortise;

  uses io.mortise.spi.LockBackendProvider;
}
