package io.mortise.spring;

import io.mortise.annotations.internal.Methods;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.InstantiationAwareBeanPostProcessor;
import org.springframework.core.Ordered;

/**
 * Stops the start if a {@code BeanPostProcessor} puts another object in the place of a bean with
 * locked methods, before Spring makes its proxies. Such an object, as a proxy of the JDK around the
 * bean, has another class. So Spring sees no {@link WithLock}, and calls would run without a lock.
 *
 * <p>It comes directly after the creator of Spring's proxies. What wraps a bean later wraps a proxy
 * that locks. It needs no other bean, since beans that are made so early have no proxies.
 */
final class ReplacedBeanCheck implements InstantiationAwareBeanPostProcessor, Ordered {
  /** The classes of the beans with locked methods that a thread is making, by bean name. */
  private final ThreadLocal<Map<String, Class<?>>> making = ThreadLocal.withInitial(HashMap::new);

  /** The creator has the order before it. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE + 1;
  }

  @Override
  public boolean postProcessAfterInstantiation(Object bean, String name) {
    Class<?> type = visibleClass(bean);
    if (LockedMethods.annotated(type).isEmpty()) {
      making.get().remove(name);
    } else {
      making.get().put(name, type);
    }
    return true;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    Class<?> type = making.get().remove(name);
    if (type != null && !type.isAssignableFrom(visibleClass(bean)) && !Mocks.isMock(bean)) {
      Method hidden = hidden(type, visibleClass(bean));
      if (hidden != null) {
        throw new LockedMethodException(
            "Bean '%s': %s has @WithLock, but a BeanPostProcessor has put a %s in the place of the bean, so the method would run without its lock"
                .formatted(name, Methods.text(hidden), bean.getClass().getName()),
            "Put @WithLock on the method of the interface, or let the BeanPostProcessor come after Spring's proxies: not in postProcessBeforeInitialization, and without PriorityOrdered");
      }
    }
    return bean;
  }

  /** The class in which Spring looks for annotations. */
  private static Class<?> visibleClass(Object bean) {
    return AopProxyUtils.ultimateTargetClass(bean);
  }

  /** A locked method of a class that is none of the visible class; null if there is none. */
  private static @Nullable Method hidden(Class<?> type, Class<?> visible) {
    Set<Method> seen = LockedMethods.annotated(visible);
    for (Method method : LockedMethods.annotated(type)) {
      if (seen.stream().noneMatch(each -> isSame(each, method))) {
        return method;
      }
    }
    return null;
  }

  /** Whether a method implements another one, which may be generic. */
  private static boolean isSame(Method declared, Method method) {
    Class<?>[] parameters = declared.getParameterTypes();
    boolean same =
        declared.getName().equals(method.getName())
            && parameters.length == method.getParameterCount();
    for (int i = 0; same && i < parameters.length; i++) {
      same = parameters[i].isAssignableFrom(method.getParameterTypes()[i]);
    }
    return same;
  }
}
