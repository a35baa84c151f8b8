package io.mortise.spring;

import io.mortise.annotations.internal.Methods;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** What answers a call whose lock is busy: a method of the same class, or a bean. */
interface BusyHandler {
  /** The result for the caller. */
  @Nullable Object handle(LockBusyException busy, MethodInvocation call) throws Throwable;

  /**
   * Finds a handler.
   *
   * @param text the name of a method, or {@code @} and the name of a bean
   * @param method whose calls it answers
   * @param type the class of the bean with the method
   * @throws LockedMethodException there is none, or it does not fit the method
   */
  static BusyHandler of(String text, Method method, Class<?> type, BeanFactory beans) {
    return text.startsWith("@")
        ? ofBean(text.substring(1), method, beans)
        : new OfClass(find(text, method, type));
  }

  private static BusyHandler ofBean(String name, Method method, BeanFactory beans) {
    if (!beans.containsBean(name) || !beans.isTypeMatch(name, LockBusyHandler.class)) {
      throw new LockedMethodException(
          "%s has busyHandler = \"@%s\", and there is no bean of that name and of type LockBusyHandler"
              .formatted(Methods.text(method), name),
          "Define one, whose declared type is io.mortise.spring.LockBusyHandler");
    }
    return new OfBean(name, method, beans);
  }

  private static Method find(String name, Method method, Class<?> type) {
    List<Method> named =
        Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type))
            .filter(each -> each.getName().equals(name) && !each.isBridge())
            .toList();
    Optional<Method> handler =
        named.stream()
            .filter(each -> fits(each, method, true))
            .findFirst()
            .or(() -> named.stream().filter(each -> fits(each, method, false)).findFirst());
    if (handler.isEmpty()) {
      throw new LockedMethodException(
          "%s has busyHandler = \"%s\", and %s has %s"
              .formatted(
                  Methods.text(method),
                  name,
                  type.getName(),
                  named.isEmpty()
                      ? "no method of that name"
                      : "only " + String.join(", ", named.stream().map(Methods::text).toList())),
          "Declare a method %s that returns %s, without @WithLock, with the same parameters, or with these and a LockBusyException as the last one; or write \"@name\" for a bean"
              .formatted(name, method.getReturnType().getSimpleName()));
    }
    return handler.get();
  }

  private static boolean fits(Method handler, Method method, boolean hasException) {
    Class<?>[] wanted = method.getParameterTypes();
    if (hasException) {
      wanted = Arrays.copyOf(wanted, wanted.length + 1);
      wanted[wanted.length - 1] = LockBusyException.class;
    }
    return Arrays.equals(handler.getParameterTypes(), wanted)
        && ClassUtils.isAssignable(method.getReturnType(), handler.getReturnType())
        && LockedMethods.annotation(handler, null) == null;
  }

  /** A method of the object itself, which is called past its proxy. */
  record OfClass(Method handler) implements BusyHandler {
    public OfClass {
      ReflectionUtils.makeAccessible(handler);
    }

    @Override
    public @Nullable Object handle(LockBusyException busy, MethodInvocation call) throws Throwable {
      @Nullable Object[] arguments = call.getArguments();
      if (handler.getParameterCount() > arguments.length) {
        arguments = Arrays.copyOf(arguments, arguments.length + 1);
        arguments[arguments.length - 1] = busy;
      }
      Object object = Modifier.isStatic(handler.getModifiers()) ? null : call.getThis();
      try {
        return handler.invoke(object, arguments);
      } catch (InvocationTargetException e) {
        throw e.getTargetException();
      }
    }
  }

  /** A bean, which is made at the first call that it answers. */
  record OfBean(String name, Method method, BeanFactory beans) implements BusyHandler {
    @Override
    public @Nullable Object handle(LockBusyException busy, MethodInvocation call) throws Throwable {
      Object result =
          beans
              .getBean(name, LockBusyHandler.class)
              .handle(busy, method, call.getArguments().clone());
      Class<?> type = method.getReturnType();
      if (type == void.class || ClassUtils.isAssignableValue(type, result)) {
        return result;
      }
      throw new IllegalStateException(
          "the bean '%s' answered a call of %s with %s, which is no %s"
              .formatted(name, Methods.text(method), result, type.getSimpleName()));
    }
  }
}
