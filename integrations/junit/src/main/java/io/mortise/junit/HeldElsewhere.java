package io.mortise.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Locks that another process holds from before the test until after it. They are plain locks, whose
 * lease that process renews. On a class it applies to each test of it and of its nested classes,
 * beside what they and the method say.
 *
 * <pre>{@code
 * @Test
 * @HeldElsewhere("reports")
 * void skipsWhatAnotherProcessDoes(LockService locks) {
 *   assertFalse(new Reports(locks).runIfFree());
 * }
 * }</pre>
 *
 * <p>Needs {@link MortiseTest} or {@link MortiseExtension}.
 */
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface HeldElsewhere {
  /**
   * The locks' names.
   *
   * @return names as for {@link io.mortise.LockService#getLock}
   */
  String[] value();
}
