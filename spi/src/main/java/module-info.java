/** The interface that a Mortise backend implements: it runs scripts and delivers messages. */
@SuppressWarnings("module") // those that use the internal package are compiled after it
module io.mortise.spi {
  requires static transitive org.jspecify;

  exports io.mortise.spi;
  exports io.mortise.spi.internal to
      io.mortise.annotations,
      io.mortise.api,
      io.mortise.backend.inmemory,
      io.mortise.backend.lettuce,
      io.mortise.backend.vertx,
      io.mortise.cdi,
      io.mortise.junit,
      io.mortise.kotlin,
      io.mortise.micrometer,
      io.mortise.reactor,
      io.mortise.shedlock,
      io.mortise.spring,
      io.mortise.spring.boot,
      io.mortise.spring.integration;
}
