package io.mortise.backend.jedis;

import java.net.URI;
import java.util.stream.Stream;
import redis.clients.jedis.UnifiedJedis;

/** An application's own client of one server, by the classes that versions of Jedis have for it. */
enum OwnClient {
  /** Since 7.2. */
  REDIS_CLIENT("redis.clients.jedis.RedisClient") {
    @Override
    Object open(Class<?> type, URI uri) throws ReflectiveOperationException {
      return type.getMethod("create", URI.class).invoke(null, uri);
    }
  },
  /** Until 7. */
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

  /** One of them, at least, is there in every version. */
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
