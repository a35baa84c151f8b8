package io.mortise.spring;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Applies {@link WithLock} to the beans of a context that imports it. The context has a bean of
 * type {@link io.mortise.LockService}, and may have one of type {@link WithLockSettings}. The Boot
 * starter does all that by itself.
 *
 * <pre>{@code
 * @Configuration
 * @Import(WithLockConfiguration.class)
 * class AppConfig {
 *   @Bean
 *   LockService locks() {
 *     return LockService.open("redis://localhost:6379");
 *   }
 * }
 * }</pre>
 */
@Configuration(proxyBeanMethods = false)
@Import(WithLockConfiguration.Proxies.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class WithLockConfiguration {
  /** For Spring. */
  public WithLockConfiguration() {}

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static LockedMethods mortiseLockedMethods(
      ConfigurableListableBeanFactory beans, ObjectProvider<WithLockSettings> settings) {
    return new LockedMethods(beans, settings.getIfAvailable(WithLockSettings::new));
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static LockServices mortiseLockServices(ConfigurableListableBeanFactory beans) {
    return new LockServices(beans);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static WithLockAdvisor mortiseWithLockAdvisor(LockedMethods methods, LockServices services) {
    return new WithLockAdvisor(methods, services);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static LockedBeanCheck mortiseLockedBeanCheck(
      ConfigurableListableBeanFactory beans, LockedMethods methods, LockServices services) {
    return new LockedBeanCheck(beans, methods, services);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static ReplacedBeanCheck mortiseReplacedBeanCheck() {
    return new ReplacedBeanCheck();
  }

  /** Registers the creator of proxies, which other parts of Spring share. */
  static final class Proxies implements ImportBeanDefinitionRegistrar {
    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    }
  }
}
