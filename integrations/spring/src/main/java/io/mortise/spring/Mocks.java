package io.mortise.spring;

import java.lang.reflect.Method;
import org.springframework.util.ClassUtils;

/** The mocks of Mockito among the beans of a test. */
final class Mocks {
  private Mocks() {}

  /**
   * Whether it is a mock that runs no method of its class, so that nothing can run without its
   * lock. A spy does run them, and so may a mock with an answer of the test's own.
   */
  static boolean isMock(Object bean) {
    try {
      Class<?> mockito =
          ClassUtils.forName("org.mockito.Mockito", bean.getClass().getClassLoader());
      Method of = mockito.getMethod("mockingDetails", Object.class);
      Object details = of.invoke(null, bean);
      if (!Boolean.TRUE.equals(of.getReturnType().getMethod("isMock").invoke(details))) {
        return false;
      }
      Method settings = of.getReturnType().getMethod("getMockCreationSettings");
      Object answer =
          settings.getReturnType().getMethod("getDefaultAnswer").invoke(settings.invoke(details));
      return answer instanceof Enum<?> known && !known.name().equals("CALLS_REAL_METHODS");
    } catch (ReflectiveOperationException | LinkageError e) {
      return false; // there is no Mockito
    }
  }
}
