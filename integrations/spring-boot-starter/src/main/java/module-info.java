/** Locks in the Redis of a Spring Boot application. */
module io.mortise.spring.boot {
  requires transitive io.mortise.spring;
  requires transitive spring.boot;
  requires static io.mortise.micrometer;
  requires static transitive org.jspecify;
  requires static io.mortise.backend.jedis;
  requires static org.apache.commons.pool2;
  requires static redis.clients.jedis;
  requires static spring.boot.actuator;
  requires static spring.boot.actuator.autoconfigure;
  requires static spring.data.redis;
  requires io.mortise.backend.lettuce;
  requires io.mortise.spi;
  requires lettuce.core;
  requires org.slf4j;
  requires transitive spring.beans;
  requires transitive spring.boot.autoconfigure;
  requires spring.aop;
  requires spring.context;
  requires transitive spring.core;

  exports io.mortise.spring.boot;

  opens io.mortise.spring.boot to
      spring.beans,
      spring.boot,
      spring.context,
      spring.core;
}
