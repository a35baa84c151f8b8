package io.mortise.junit;

import io.mortise.LockService;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class whose tests take locks. Each test has a store in memory of its own, so that tests
 * can run in parallel. Test methods and methods with {@code @BeforeEach} or {@code @AfterEach} may
 * have parameters of these types:
 *
 * <ul>
 *   <li>{@link LockService}: the service that the code under test uses
 *   <li>{@link LockWorld}: the test's view of the store, its time, its faults and other processes
 * </ul>
 *
 * <pre>{@code
 * @MortiseTest
 * class OrdersTest {
 *   @Test
 *   void waitsForTheOtherProcess(LockService locks, LockWorld world) {
 *     LockService other = world.anotherProcess();
 *     other.getLock("orders:42").lock();
 *     world.crash(other); // no longer renewed, and not released
 *     world.advance(Duration.ofSeconds(31));
 *     assertTrue(locks.getLock("orders:42").tryLock());
 *     locks.getLock("orders:42").unlock();
 *   }
 * }
 * }</pre>
 *
 * <p>All services are closed after the test. What the test's own service still holds then fails the
 * test, by name. A nested class has the settings of the nearest class with this annotation. For
 * settings that are computed, register a {@link MortiseExtension} instead.
 */
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@ExtendWith(MortiseExtension.class)
public @interface MortiseTest {
  /** The time of a test's store. */
  enum Time {
    /** Time stands still until {@link LockWorld#advance} moves it. */
    MOVABLE,
    /** The time of the system. */
    SYSTEM
  }

  /** What happens when the test's own service still holds something after the test. */
  enum Leaks {
    /** The test fails, unless it has failed already. */
    FAIL,
    /** Nothing. */
    IGNORE
  }

  /**
   * The lease of holds without an explicit lease, for all services of a test.
   *
   * @return a number with the unit {@code ms}, {@code s}, {@code m} or {@code h}, or a duration as
   *     {@code PT30S}; at least 100 ms
   */
  String leaseTime() default "30s";

  /**
   * The time of the store.
   *
   * @return time that the test moves, unless said otherwise
   */
  Time time() default Time.MOVABLE;

  /**
   * What a hold after the test means.
   *
   * @return a failure, unless said otherwise
   */
  Leaks leaks() default Leaks.FAIL;
}
