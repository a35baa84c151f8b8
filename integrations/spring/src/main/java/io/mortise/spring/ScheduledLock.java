package io.mortise.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * One of all processes runs the method. The others skip it while it runs.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 * * * *")
 * @ScheduledLock(name = "reports", atLeast = "1m", maxHold = "30m")
 * public void reports() { … }
 * }</pre>
 *
 * <p>It is a {@link WithLock} that does not wait, and skips if the lock is busy.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@WithLock(ifBusy = WithLock.IfBusy.SKIP, waitFor = "0")
public @interface ScheduledLock {
  /**
   * The lock's name, as {@link WithLock#name()}.
   *
   * @return a template
   */
  @AliasFor(annotation = WithLock.class, attribute = "name")
  String name();

  /**
   * How long the lock is not free again, as {@link WithLock#atLeast()}.
   *
   * @return a time such as {@code "1m"}
   */
  @AliasFor(annotation = WithLock.class, attribute = "atLeast")
  String atLeast() default "";

  /**
   * The longest time that the lock is held, as {@link WithLock#maxHold()}.
   *
   * @return a time such as {@code "30m"}; empty for no limit
   */
  @AliasFor(annotation = WithLock.class, attribute = "maxHold")
  String maxHold() default "";

  /**
   * The bean name of the lock service, as {@link WithLock#service()}.
   *
   * @return empty for the only one or the primary one
   */
  @AliasFor(annotation = WithLock.class, attribute = "service")
  String service() default "";
}
