/** Locks in Redis through Lettuce, with the backend's own client or the caller's. */
module io.mortise.backend.lettuce {
  requires static transitive org.jspecify;
  requires static com.google.auto.service;
  requires transitive io.mortise.spi;
  requires io.mortise.backend.support;
  requires transitive lettuce.core;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.resolver.dns; // Lettuce needs it, but does not declare it.
  requires io.netty.transport;
  requires org.slf4j;
  requires reactor.core; // Lettuce hands out credentials by it.

  exports io.mortise.backend.lettuce;

  provides io.mortise.spi.LockBackendProvider with
      io.mortise.backend.lettuce.LettuceBackendProvider;
}
