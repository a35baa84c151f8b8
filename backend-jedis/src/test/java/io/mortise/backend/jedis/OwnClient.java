package io.mortise.backend.jedis;

import java.net.URI;
import java.util.stream.Stream;
import redis.clients.jedis.UnifiedJedis;

/** An application's own client of one server. The class depends on the version of Jedis. */
enum OwnClient {
  /** From 7.2 on. */
  REDIS_CLIENT("redis.clients.jedis.RedisClient") {
    @Override
    Object open(Class<?> type, URI uri) throws ReflectiveOperationException {
      return type.getMethod("create", URI.class).invoke(null, uri);
    }
  },
  /** Up to 7. */
  JEDIS_POOLED("redis.clients.jedis.JedisPooled") {
    @Override
    Object open(Class<?> type, URI uri) throws ReflectiveOperationException {
      return type.getConstructor(URI.class).newInstance(uri);
    }
  };

  private final String type;

  OwnClient(String type) {
    this.type = type;
  }

  /** Every version has at least one of them. */
  static Stream<OwnClient> ofThisVersion() {
    return Stream.of(values()).filter(OwnClient::isThere);
  }

  static UnifiedJedis openAny(URI uri) {
    return ofThisVersion().findFirst().orElseThrow().open(uri);
  }

  private boolean isThere() {
    try {
      Class.forName(type);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  UnifiedJedis open(URI uri) {
    try {
      return (UnifiedJedis) open(Class.forName(type), uri);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("Jedis has another API", e);
    }
  }

  abstract Object open(Class<?> type, URI uri) throws ReflectiveOperationException;
}
