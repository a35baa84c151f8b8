package io.mortise.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.valkey.springframework.data.valkey.connection.ValkeyConnectionFactory;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

class StoreChoiceTest {
  private static RedisConnectionFactory unknown() {
    return (RedisConnectionFactory)
        Proxy.newProxyInstance(
            StoreChoiceTest.class.getClassLoader(),
            new Class<?>[] {RedisConnectionFactory.class},
            (proxy, method, arguments) -> method.getName().equals("hashCode") ? 1 : false);
  }

  @Test
  void theMessageNamesThePrimaryFactoryOfSeveral() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(MortiseAutoConfiguration.class))
        .withBean("first", RedisConnectionFactory.class, StoreChoiceTest::unknown)
        .withBean(
            "second",
            RedisConnectionFactory.class,
            StoreChoiceTest::unknown,
            bean -> bean.setPrimary(true))
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("'second'"));
  }

  @Test
  void anApplicationWithSpringDataValkeyIsToldWhatToSet() {
    ApplicationContextRunner valkey =
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(MortiseAutoConfiguration.class))
            .withBean(
                "valkeyConnectionFactory",
                ValkeyConnectionFactory.class,
                () -> new ValkeyConnectionFactory() {});
    valkey.run(context ->
        assertThat(context.getStartupFailure())
            .rootCause()
            .isInstanceOf(LockStoreException.class)
            .hasMessageContaining("[valkeyConnectionFactory]")
            .hasMessageContaining("Set mortise.uri")
            .hasMessageContaining("valkey://"));
    valkey
        .withPropertyValues("mortise.uri=memory:valkey")
        .run(context -> assertThat(context).hasNotFailed());
  }
}
