package io.mortise.spring.boot;

import io.mortise.LockService;
import io.mortise.spi.LockBackend;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.NamedBeanHolder;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds the store of the locks: what the application names, which is a {@link LockBackend} bean or
 * {@code mortise.uri}, or else its Redis connection factory. If it names two stores the start
 * stops, because locks in the wrong one exclude nobody.
 */
final class StoreChoice {
  private static final ClassLoader LOADER = StoreChoice.class.getClassLoader();
  static final String REDIS_FACTORY =
      "org.springframework.data.redis.connection.RedisConnectionFactory";
  static final String VALKEY_FACTORY =
      "io.valkey.springframework.data.valkey.connection.ValkeyConnectionFactory";
  static final String JEDIS_POOL = "redis.clients.jedis.ConnectionPool";
  static final String JEDIS_BACKEND = "io.mortise.backend.jedis.JedisBackend";

  private static final boolean DATA_REDIS = ClassUtils.isPresent(REDIS_FACTORY, LOADER);
  private static final boolean JEDIS =
      ClassUtils.isPresent(JEDIS_POOL, LOADER) && ClassUtils.isPresent(JEDIS_BACKEND, LOADER);

  private final ConfigurableListableBeanFactory beans;
  private final MortiseProperties properties;

  StoreChoice(ConfigurableListableBeanFactory beans, MortiseProperties properties) {
    this.beans = beans;
    this.properties = properties;
  }

  /**
   * Tells the builder the store.
   *
   * @param user the bean that will use it, and is closed before it
   * @return what to end when the service is closed
   */
  Runnable apply(LockService.Builder builder, String user) {
    NamedBeanHolder<LockBackend> backend = single(LockBackend.class, "a lock backend", user);
    String uri = properties.uri();
    if (backend != null && uri != null) {
      throw new LockStoreException(
          "There is a bean of type LockBackend, and mortise.uri is set", "Remove one of the two");
    }
    if (uri == null && properties.backend() != null) {
      throw new LockStoreException(
          "mortise.backend is '%s', and mortise.uri is not set, so nothing would use that backend"
              .formatted(properties.backend()),
          "Set mortise.uri to the store of that backend, or remove mortise.backend");
    }
    if (backend != null) {
      builder.sharedBackend(backend.getBeanInstance());
      return () -> {};
    }
    if (uri != null) {
      builder.uri(uri);
      if (properties.backend() != null) {
        builder.provider(properties.backend());
      }
      return () -> {};
    }
    OpenedStore store = DATA_REDIS ? FactoryStore.open(this, user) : null;
    if (store == null) {
      refuseValkey();
      throw new LockStoreException(
          "The locks have no store: there is no bean of type LockService, LockBackend or RedisConnectionFactory, and mortise.uri is not set",
          "Add spring-boot-starter-data-redis, or set mortise.uri, for tests to memory:${random.uuid}");
    }
    builder.backend(store.backend());
    return store.after();
  }

  /** Spring Data Valkey has connections of its own, which are not those of Spring Data Redis. */
  private void refuseValkey() {
    if (ClassUtils.isPresent(VALKEY_FACTORY, LOADER)) {
      String[] names =
          beans.getBeanNamesForType(ClassUtils.resolveClassName(VALKEY_FACTORY, LOADER));
      if (names.length > 0) {
        throw new LockStoreException(
            "The locks have no store: %s is a connection factory of Spring Data Valkey, which the locks cannot use"
                .formatted(Arrays.toString(names)),
            "Set mortise.uri to the server that spring.data.valkey names, such as valkey://user:password@host:6379, with valkeys for TLS and valkey-cluster for a cluster");
      }
    }
  }

  /** The only or primary bean of the type; null if there is none. */
  private <T> @Nullable NamedBeanHolder<T> single(Class<T> type, String what, String user) {
    String[] names = beans.getBeanNamesForType(type);
    if (names.length == 0) {
      return null;
    }
    try {
      NamedBeanHolder<T> found = beans.resolveNamedBean(type);
      beans.registerDependentBean(found.getBeanName(), user);
      return found;
    } catch (NoUniqueBeanDefinitionException e) {
      throw new LockStoreException(
          "%s is needed for the locks, and there are several: %s"
              .formatted(what, Arrays.toString(names)),
          "Mark one of them as @Primary, set mortise.uri, or define a LockService bean for each");
    }
  }

  /** What needs the classes of Spring Data. */
  private static final class FactoryStore {
    static @Nullable OpenedStore open(StoreChoice choice, String user) {
      NamedBeanHolder<RedisConnectionFactory> found =
          choice.single(RedisConnectionFactory.class, "A Redis connection factory", user);
      if (found == null) {
        return null;
      }
      RedisConnectionFactory factory = found.getBeanInstance();
      String bean = found.getBeanName();
      if (factory instanceof LettuceConnectionFactory lettuce) {
        return LettuceStore.open(lettuce, bean);
      }
      if (JEDIS && factory instanceof JedisConnectionFactory jedis) {
        return JedisStore.open(jedis, bean, choice.properties.jedis().poolSize());
      }
      List<String> types = new ArrayList<>(List.of("LettuceConnectionFactory"));
      if (JEDIS) {
        types.add("JedisConnectionFactory");
      }
      throw new LockStoreException(
          "The connection factory '%s' is a %s, and the locks can use %s"
              .formatted(bean, factory.getClass().getName(), types),
          "For a JedisConnectionFactory add mortise-backend-jedis. Else set mortise.uri");
    }
  }
}
