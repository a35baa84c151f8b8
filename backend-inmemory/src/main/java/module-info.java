/**
 * A Mortise backend inside the JVM: the same scripts as on Redis, and a clock that tests can move.
 */
module io.mortise.backend.inmemory {
  requires static transitive org.jspecify;
  requires static com.google.auto.service;
  requires transitive io.mortise.spi;

  exports io.mortise.backend.inmemory;

  provides io.mortise.spi.LockBackendProvider with
      io.mortise.backend.inmemory.InMemoryBackendProvider;
}
