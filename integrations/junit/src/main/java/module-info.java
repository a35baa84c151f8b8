/** Tests of code that takes locks, with JUnit. */
module io.mortise.junit {
  requires static transitive org.jspecify;
  requires static org.assertj.core; // LockAssertions alone; a caller of it has it
  requires static io.mortise.spring; // WithLockChecks alone, and so is spring.core
  requires static spring.core;
  requires transitive io.mortise.api;
  requires io.mortise.backend.inmemory;
  requires transitive org.junit.jupiter.api;

  exports io.mortise.junit;
}
