/** Locks in Redis through Jedis. */
module io.mortise.backend.jedis {
  requires static transitive org.jspecify;
  requires static com.google.auto.service;
  requires transitive io.mortise.spi;
  requires io.mortise.backend.support;
  requires transitive redis.clients.jedis;
  requires org.apache.commons.pool2;

  exports io.mortise.backend.jedis;

  provides io.mortise.spi.LockBackendProvider with
      io.mortise.backend.jedis.JedisBackendProvider;
}
