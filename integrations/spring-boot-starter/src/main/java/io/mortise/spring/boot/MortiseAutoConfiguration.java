package io.mortise.spring.boot;

import io.mortise.LockListener;
import io.mortise.LockService;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Opens a lock service on the application's store, unless the application has one. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
    })
@ConditionalOnProperty(name = "mortise.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(MortiseProperties.class)
public class MortiseAutoConfiguration {
  /** For Spring. */
  public MortiseAutoConfiguration() {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(LockService.class)
  static class OwnService {
    static final String BEAN = "mortiseLockService";

    @Bean
    LockServiceOpener mortiseLockServiceOpener(
        MortiseProperties properties,
        ConfigurableListableBeanFactory beans,
        ObjectProvider<LockListener> listeners,
        ObjectProvider<LockServiceCustomizer> customizers) {
      return new LockServiceOpener(
          properties, new StoreChoice(beans, properties), listeners, customizers);
    }

    @Bean(name = BEAN, destroyMethod = "close")
    LockService mortiseLockService(LockServiceOpener opener) {
      return opener.open(BEAN);
    }

    @Bean
    LockServiceShutdown mortiseLockServiceShutdown(
        LockService service, MortiseProperties properties, ApplicationContext context) {
      return new LockServiceShutdown(service, properties.closeTimeout(), context);
    }
  }
}
