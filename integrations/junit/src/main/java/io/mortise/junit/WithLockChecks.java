package io.mortise.junit;

import io.mortise.spring.ScheduledLock;
import io.mortise.spring.WithLock;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.asm.ClassReader;
import org.springframework.asm.Type;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * A check for a test of the application: no object calls its own locked method. Such a call does
 * not pass the proxy, so it would run without its lock, and nothing can see that at the start. The
 * application has mortise-spring: this module does not bring it.
 *
 * <pre>{@code
 * @Test
 * void noLockIsPassedBy() {
 *   WithLockChecks.assertNoSelfCalls(OrderService.class, ReportService.class);
 * }
 * }</pre>
 */
public final class WithLockChecks {
  private WithLockChecks() {}

  /**
   * Fails if an object of one of the classes calls a method of its own that has {@link WithLock} or
   * {@link ScheduledLock}, also in a lambda, as a method reference, in an inner class, in a
   * superclass or through a type parameter. A call through another reference, such as the bean that
   * is injected into itself, passes the proxy and is none. It reads class files, and creates no
   * object.
   *
   * <p>It does not see calls by reflection, and calls on {@code this} after it was stored in a
   * field or passed to another method.
   *
   * @param types classes of beans
   * @throws AssertionError an object calls its own locked method; names class, caller and callee
   * @throws IllegalArgumentException a class file cannot be read
   */
  public static void assertNoSelfCalls(Class<?>... types) {
    Set<String> found = new LinkedHashSet<>();
    for (Class<?> type : types) {
      Class<?> own = ClassUtils.getUserClass(type);
      Set<Class<?>> code = codeOf(own);
      Map<String, String> locked = locked(own, code);
      if (!locked.isEmpty()) {
        SelfCalls calls = new SelfCalls(code, locked, found);
        code.forEach(each -> read(each, calls));
      }
    }
    if (!found.isEmpty()) {
      throw new AssertionError(
          "%s; such a call does not pass the proxy, so it runs without its lock. Call it through the bean, move it to another bean, or use a LockTemplate"
              .formatted(String.join("; ", found)));
    }
  }

  /** The class, its superclasses and interfaces, without those of the JDK. */
  private static Set<Class<?>> codeOf(Class<?> type) {
    Set<Class<?>> code = new LinkedHashSet<>();
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      code.add(each);
    }
    code.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
    code.removeIf(each -> each.getClassLoader() == null);
    return code;
  }

  /**
   * Names and descriptors of the locked methods, and of their bridges: generic code calls those.
   * The value is the method itself.
   */
  private static Map<String, String> locked(Class<?> type, Set<Class<?>> code) {
    MetadataLookup<Boolean> lookup = method -> isLocked(method, type) ? true : null;
    Map<String, String> locked = new HashMap<>();
    MethodIntrospector.selectMethods(type, lookup)
        .keySet()
        .forEach(method -> locked.put(key(method), key(method)));
    for (Class<?> each : code) {
      for (Method bridge : each.getDeclaredMethods()) {
        String bridged = key(BridgeMethodResolver.findBridgedMethod(bridge));
        if (locked.containsKey(bridged)) {
          locked.putIfAbsent(key(bridge), bridged);
        }
      }
    }
    return locked;
  }

  private static String key(Method method) {
    return method.getName() + Type.getMethodDescriptor(method);
  }

  /** Whether the method, or one of an interface of the type that it implements, is locked. */
  private static boolean isLocked(Method method, Class<?> type) {
    return AnnotatedElementUtils.hasAnnotation(method, WithLock.class)
        || ClassUtils.getAllInterfacesForClassAsSet(type).stream()
            .map(each ->
                ClassUtils.getMethodIfAvailable(each, method.getName(), method.getParameterTypes()))
            .anyMatch(declared ->
                declared != null && AnnotatedElementUtils.hasAnnotation(declared, WithLock.class));
  }

  /** Reads a class, and those that are nested in it. */
  private static void read(Class<?> type, SelfCalls calls) {
    Deque<String> files = new ArrayDeque<>();
    files.add(Type.getInternalName(type));
    while (!files.isEmpty()) {
      String file = files.remove();
      try (InputStream in = open(type, file)) {
        files.addAll(calls.read(new ClassReader(in)));
      } catch (IOException | IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "the class file of %s cannot be read: %s; check a class of the application that this version of Spring can read"
                .formatted(file.replace('/', '.'), e.getMessage()),
            e);
      }
    }
  }

  private static InputStream open(Class<?> type, String file) throws IOException {
    InputStream in = type.getClassLoader().getResourceAsStream(file + ".class");
    if (in == null) {
      throw new IOException("it is not there");
    }
    return in;
  }
}
