package io.mortise.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.lock.RedisCompositeLockConformance;
import io.mortise.conformance.lock.RedisLockConformance;
import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.conformance.lock.RedisLockKindConformance;
import io.mortise.conformance.lock.RedisReadWriteConformance;
import io.mortise.conformance.lock.RedisSynchronizerConformance;
import io.mortise.conformance.spi.RedisBackendConformance;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** A test of the kit without a rule would be missing in the report. */
class EveryTestNamesItsRuleTest {
  private static List<Class<?>> groups(Class<?> kit) {
    return ReflectionSupport.findNestedClasses(
        kit, group -> group.isAnnotationPresent(Nested.class));
  }

  private static List<Method> tests(Class<?> group) {
    return ReflectionSupport.findMethods(
        group,
        method -> AnnotationSupport.isAnnotated(method, Testable.class),
        HierarchyTraversalMode.TOP_DOWN);
  }

  private static boolean namesNoRule(Class<?> group, Method test) {
    return !AnnotationSupport.isAnnotated(test, Rule.class)
        && !AnnotationSupport.isAnnotated(group, Rule.class);
  }

  @Test
  void everyTestOfTheKitNamesItsRule() {
    List<Class<?>> groups =
        List.of(
                RedisLockConformance.class,
                RedisLockFaultConformance.class,
                RedisLockKindConformance.class,
                RedisCompositeLockConformance.class,
                RedisReadWriteConformance.class,
                RedisSynchronizerConformance.class,
                RedisBackendConformance.class)
            .stream()
            .flatMap(kit -> groups(kit).stream())
            .toList();
    assertTrue(groups.size() > 30, groups::toString);

    List<String> without =
        groups.stream()
            .flatMap(group ->
                tests(group).stream()
                    .filter(test -> namesNoRule(group, test))
                    .map(test -> group.getSimpleName() + '.' + test.getName()))
            .toList();

    assertEquals(List.of(), without);
  }
}
