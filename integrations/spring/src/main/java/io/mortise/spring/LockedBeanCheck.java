package io.mortise.spring;

import io.mortise.annotations.internal.Methods;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.target.AbstractBeanFactoryBasedTargetSource;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Stops the start if a method with {@link WithLock} would run without its lock: its bean is no
 * proxy of ours, or the proxy cannot intercept it.
 *
 * <p>Every bean is checked when it is made, and every singleton again when all are made. The second
 * check finds beans that were made before this object, and what factory beans among them make. A
 * mock runs no real method, so it is not refused. {@link ReplacedBeanCheck} finds what hides a
 * bean's class from this check.
 */
final class LockedBeanCheck
    implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton {
  private static final boolean TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.ConfigurableTransactionManager",
          LockedBeanCheck.class.getClassLoader());

  private static final List<String> CALLBACKS =
      List.of(
          "jakarta.annotation.PostConstruct",
          "jakarta.annotation.PreDestroy",
          "javax.annotation.PostConstruct",
          "javax.annotation.PreDestroy");

  private final ConfigurableListableBeanFactory beans;
  private final LockedMethods methods;
  private final LockServices services;

  /** Beans that were handed out before they were finished. They were checked then. */
  private final Set<String> early = ConcurrentHashMap.newKeySet();

  /** Factories that were made after this object. What they make is checked when it is made. */
  private final Set<String> factories = ConcurrentHashMap.newKeySet();

  LockedBeanCheck(
      ConfigurableListableBeanFactory beans, LockedMethods methods, LockServices services) {
    this.beans = beans;
    this.methods = methods;
    this.services = services;
  }

  /** The container calls these methods on the object itself, so it must not get so far. */
  @Override
  public @Nullable Object postProcessBeforeInstantiation(Class<?> type, String name) {
    refuseCallbacks(type, name);
    return null;
  }

  /** A method with {@code @Bean} may declare less than the class of its object. */
  @Override
  public boolean postProcessAfterInstantiation(Object bean, String name) {
    Class<?> type = ClassUtils.getUserClass(bean);
    if (!LockedMethods.annotated(type).isEmpty() && !Mocks.isMock(bean)) {
      refuseCallbacks(type, name);
    }
    return true;
  }

  private void refuseCallbacks(Class<?> type, String name) {
    for (Method method : LockedMethods.annotated(type)) {
      if (isCallback(method, type, name)) {
        throw problem(
            name,
            "%s has @WithLock, and the container calls it past every proxy, so it would run without its lock"
                .formatted(Methods.text(method)),
            "Remove @WithLock and use a LockTemplate in the method, or call another bean's locked method from it");
      }
    }
  }

  private boolean isCallback(Method method, Class<?> type, String bean) {
    if (beans.containsBeanDefinition(bean)
        && beans.getMergedBeanDefinition(bean) instanceof RootBeanDefinition definition
        && isNamed(method, type, definition)) {
      return true;
    }
    if (method.getParameterCount() > 0) {
      return false;
    }
    String name = method.getName();
    boolean begins = InitializingBean.class.isAssignableFrom(type);
    boolean ends = DisposableBean.class.isAssignableFrom(type);
    return (begins && name.equals("afterPropertiesSet"))
        || (ends && name.equals("destroy"))
        || CALLBACKS.stream().anyMatch(each -> AnnotatedElementUtils.isAnnotated(method, each));
  }

  /** Whether the definition names it, or leaves it to Spring, which finds {@code close()}. */
  private static boolean isNamed(Method method, Class<?> type, RootBeanDefinition definition) {
    RootBeanDefinition inferred = definition.cloneBeanDefinition();
    inferred.setTargetType(type);
    if (!definition.isPrototype()) { // of which the container ends none
      inferred.resolveDestroyMethodIfNecessary();
    }
    String name = method.getName();
    return switch (method.getParameterCount()) {
      case 0 ->
          ObjectUtils.containsElement(inferred.getInitMethodNames(), name)
              || ObjectUtils.containsElement(inferred.getDestroyMethodNames(), name);
      case 1 -> // Spring passes true, if there is no method without a parameter
          method.getParameterTypes()[0] == boolean.class
              && ObjectUtils.containsElement(inferred.getDestroyMethodNames(), name)
              && ReflectionUtils.findMethod(type, name) == null;
      default -> false;
    };
  }

  @Override
  public Object getEarlyBeanReference(Object bean, String name) {
    early.add(name);
    check(bean, name);
    return bean;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (!early.remove(name)) {
      check(bean, name);
    }
    if (bean instanceof FactoryBean) {
      factories.add(name);
    }
    guardCommits(bean);
    return bean;
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String name : beans.getSingletonNames()) {
      Object bean = beans.getSingleton(name);
      if (bean != null) {
        checkAgain(bean, name);
      }
      if (bean instanceof FactoryBean<?> factory && madeBefore(factory, name)) {
        checkAgain(beans.getBean(name), name);
      }
    }
  }

  private boolean madeBefore(FactoryBean<?> factory, String name) {
    return factory.isSingleton() && !factories.contains(name);
  }

  private void checkAgain(Object bean, String name) {
    check(bean, name).forEach(services::of);
    guardCommits(bean);
  }

  private static void guardCommits(Object bean) {
    if (TRANSACTIONS) {
      CommitGuard.addTo(bean);
    }
  }

  /** The bean's locked methods, which are intercepted. */
  private Set<LockedMethod> check(Object bean, String name) {
    Set<LockedMethod> found = new LinkedHashSet<>();
    for (Class<?> type : types(bean)) {
      Set<Method> locked = LockedMethods.annotated(type);
      if (!locked.isEmpty() && Mocks.isMock(bean)) {
        return Set.of();
      }
      locked.forEach(method -> found.add(check(bean, name, method, type)));
    }
    return found;
  }

  /** The classes that may have the annotation: the bean's own, and interfaces that hide it. */
  private static Set<Class<?>> types(Object bean) {
    Set<Class<?>> types = new LinkedHashSet<>();
    Class<?> own = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
    types.add(own);
    if (Proxy.isProxyClass(bean.getClass())) {
      for (Class<?> each : bean.getClass().getInterfaces()) {
        if (Proxy.isProxyClass(own) || !each.isAssignableFrom(own)) {
          types.add(each);
        }
      }
    }
    return types;
  }

  private LockedMethod check(Object bean, String name, Method method, Class<?> type) {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      throw problem(
          name,
          "%s has @WithLock and is %s, so no proxy can intercept it and it would run without its lock"
              .formatted(Methods.text(method), Modifier.toString(modifiers)),
          "Make it a public method that is not static and not final");
    }
    LockedMethod locked = methods.find(method, type);
    if (locked != null && callsAnotherBean(bean)) {
      return locked;
    }
    if (locked == null || !isAdvised(bean)) {
      throw problem(
          name,
          "%s has @WithLock, but the bean is no proxy that applies it, so it would run without its lock"
              .formatted(Methods.text(method)),
          "A bean that a BeanPostProcessor or BeanFactoryPostProcessor depends on is made too early: let that one depend on it through ObjectProvider or @Lazy. An object that was registered as it is has no proxy: declare it with @Bean or @Component");
    }
    if (!isIntercepted(bean, method, type)) {
      throw problem(
          name,
          "%s has @WithLock, but the bean's proxy does not have the method, so it would run without its lock"
              .formatted(Methods.text(method)),
          "Make the method public and, if the proxy has interfaces only, declare it in one of them or set proxyTargetClass = true (spring.aop.proxy-target-class)");
    }
    return locked;
  }

  private static LockedMethodException problem(String bean, String problem, String nextStep) {
    return new LockedMethodException("Bean '" + bean + "': " + problem, nextStep);
  }

  /** Whether the bean is a proxy with our advisor, or a proxy of such a proxy. */
  private static boolean isAdvised(Object bean) {
    Object each = bean;
    while (each instanceof Advised proxy) {
      for (Advisor advisor : proxy.getAdvisors()) {
        if (advisor instanceof WithLockAdvisor) {
          return true;
        }
      }
      each = proxy.getTargetSource() instanceof SingletonTargetSource one ? one.getTarget() : null;
    }
    return false;
  }

  /** Whether it is a proxy, as that of a scope, of another bean, which is checked by itself. */
  private boolean callsAnotherBean(Object bean) {
    Object each = bean;
    while (each instanceof Advised proxy) {
      TargetSource source = proxy.getTargetSource();
      if (source instanceof AbstractBeanFactoryBasedTargetSource other) {
        return beans.equals(other.getBeanFactory());
      }
      each = source instanceof SingletonTargetSource one ? one.getTarget() : null;
    }
    return false;
  }

  private static boolean isIntercepted(Object bean, Method method, Class<?> type) {
    if (!Proxy.isProxyClass(bean.getClass())) {
      return overrides(bean.getClass(), method.getName(), method.getParameterTypes());
    }
    return Arrays.stream(bean.getClass().getInterfaces())
        .flatMap(each -> Arrays.stream(each.getMethods()))
        .anyMatch(each -> LockedMethods.areOne(each, method, type));
  }

  /** Whether a class made at run time overrides the method. */
  private static boolean overrides(Class<?> proxy, String name, Class<?>[] parameters) {
    for (Class<?> each = proxy;
        each != null && each.getName().contains(ClassUtils.CGLIB_CLASS_SEPARATOR);
        each = each.getSuperclass()) {
      if (Arrays.stream(each.getDeclaredMethods())
          .anyMatch(method ->
              method.getName().equals(name)
                  && Arrays.equals(method.getParameterTypes(), parameters))) {
        return true;
      }
    }
    return false;
  }
}
