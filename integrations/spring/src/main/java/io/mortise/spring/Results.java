package io.mortise.spring;

import io.mortise.annotations.internal.ResultKind;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** The kinds of results that Spring knows. */
final class Results {
  /** Whether the types of Reactor are there. Without them no type is a publisher. */
  private static final boolean REACTOR =
      ClassUtils.isPresent("reactor.core.publisher.Flux", Results.class.getClassLoader());

  /** Types whose type argument is the result that Spring MVC works on. */
  private static final Set<String> ENTITIES =
      Set.of("org.springframework.http.HttpEntity", "org.springframework.http.ResponseEntity");

  private Results() {}

  /**
   * The kind of a method's result.
   *
   * @param who the method, for messages
   * @throws io.mortise.annotations.internal.Refusal work would go on when the method has returned,
   *     and its end cannot be seen
   */
  static ResultKind of(String who, Method method) {
    if (KotlinDetector.isSuspendingFunction(method)) {
      throw ResultKind.suspending(who);
    }
    Class<?> type = method.getReturnType();
    ResultKind result = ResultKind.of(type);
    if (result != ResultKind.VALUE) {
      return result;
    }
    if (REACTOR && adapter(type) != null) {
      return ResultKind.PUBLISHER;
    }
    Class<?> body = ENTITIES.contains(type.getName()) ? argument(method) : type;
    if (ResultKind.goesOn(body)) {
      throw ResultKind.late(who, body);
    }
    return result;
  }

  private static Class<?> argument(Method method) {
    return ResolvableType.forMethodReturnType(method).getGeneric().resolve(Object.class);
  }

  /** How to turn the type into a publisher of Reactor and back; null if it is none. */
  static @Nullable ReactiveAdapter adapter(Class<?> type) {
    return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
  }
}
