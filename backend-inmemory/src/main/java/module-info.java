/**
 * A Mortise backend inside the JVM. It runs the same scripts as Redis, and tests can move its
 * clock.
 */
module io.mortise.backend.inmemory {
  requires static transitive org.jspecify;
  requires static com.google.auto.service;
  requires transitive io.mortise.spi;

  exports io.mortise.backend.inmemory;

  provides io.mortise.spi.LockBackendProvider with
      io.mortise.backend.inmemory.InMemoryBackendProvider;
}
