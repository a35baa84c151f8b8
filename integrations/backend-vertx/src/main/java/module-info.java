/** Locks in Redis through the Redis client of Vert.x, on a Vert.x of its own or the caller's. */
module io.mortise.backend.vertx {
  requires static transitive org.jspecify;
  requires static com.google.auto.service;
  requires transitive io.mortise.spi;
  requires io.mortise.backend.support;
  requires transitive io.vertx.core;
  requires io.vertx.redis.client;
  requires org.slf4j;

  exports io.mortise.backend.vertx;

  provides io.mortise.spi.LockBackendProvider with
      io.mortise.backend.vertx.VertxBackendProvider;
}
