/** Mortise on a Redis server through Lettuce, with a client of its own or the caller's. */
module io.mortise.backend.lettuce {
  requires static transitive org.jspecify;
  requires static transitive com.google.auto.service;
  requires transitive io.mortise.spi;
  requires io.mortise.backend.support;
  requires transitive lettuce.core;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.resolver.dns; // Lettuce needs it, and no descriptor says so.
  requires io.netty.transport;
  requires org.slf4j;

  exports io.mortise.backend.lettuce;

  provides io.mortise.spi.LockBackendProvider with
      io.mortise.backend.lettuce.LettuceBackendProvider;
}
