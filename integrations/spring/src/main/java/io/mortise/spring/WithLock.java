package io.mortise.spring;

import io.mortise.DistributedReadWriteLock;
import io.mortise.FencedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * The method runs while its thread holds a distributed lock, and never without it.
 *
 * <pre>{@code
 * @WithLock("orders:#{#id}")
 * @Transactional
 * public Order pay(long id) { … }
 * }</pre>
 *
 * <p><b>What holds.</b>
 *
 * <ul>
 *   <li>If the lock cannot be acquired, the method does not run. A store that does not answer is an
 *       exception, also with {@link IfBusy#SKIP}.
 *   <li>If the lease is lost while the method runs, the caller gets a {@link LeaseLostException}
 *       instead of the result. An exception of the method itself carries it as suppressed.
 *   <li>The lock is acquired before a transaction of the method begins, and released after it has
 *       ended. If the caller already has a transaction, the lock is held until that is over.
 *   <li>A transaction does not commit when its thread has lost a lock.
 *   <li>A method that returns a {@link java.util.concurrent.CompletableFuture}, a {@code Mono} or a
 *       {@code Flux} holds the lock until that completes.
 * </ul>
 *
 * <p>A thread that holds the lock may call other methods with the same lock.
 *
 * <p><b>What stops the start.</b> The method is private, static or final, its bean is no proxy that
 * applies this annotation, or the attributes do not fit the method. A call from another method of
 * the same object does not pass the proxy, as with every annotation of Spring, and that cannot be
 * seen at the start. {@link LockContext#ensureHeld(String)} in the method refuses to go on then,
 * and {@code WithLockChecks} of mortise-junit finds such calls in a test.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(LockedMethodHints.class)
@SuppressWarnings("exports") // Spring alone makes the hints
public @interface WithLock {
  /** Which lock of the name. */
  enum Kind {
    /** {@link LockService#getLock}. */
    PLAIN,
    /** {@link LockService#getFairLock}. */
    FAIR,
    /** {@link LockService#getFencedLock}; {@link LockContext#fencingToken()} has the token. */
    FENCED,
    /** {@link DistributedReadWriteLock#readLock()}. */
    READ,
    /** {@link DistributedReadWriteLock#writeLock()}. */
    WRITE
  }

  /** What happens if another holder has the lock until the wait is over. */
  enum IfBusy {
    /** The call throws {@link LockBusyException}. */
    FAIL,
    /**
     * The call returns without running the method. The method returns nothing, an {@link
     * java.util.Optional}, a stage or a publisher, which is then empty, or null for a stage.
     */
    SKIP
  }

  /** What happens at once if the lease is lost while the method runs. */
  enum OnLost {
    /** Nothing at once. When the method returns, the call throws {@link LeaseLostException}. */
    THROW,
    /** In addition, the running thread is interrupted, or the publisher is cancelled. */
    INTERRUPT
  }

  /**
   * The lock's name, as {@link #name}.
   *
   * @return a template
   */
  @AliasFor("name")
  String value() default "";

  /**
   * The lock's name: text, with <code>${property}</code> and with <code>#{expression}</code> in the
   * Spring expression language. An expression sees the method's arguments as {@code #name} and
   * {@code #p0}, and beans as {@code @bean}. If an expression gives null, blank text, a collection,
   * an array, a map, or an object without a text of its own, the call throws. A variable without
   * braces, one that is no argument, and a {@code +} that may join texts stop the start.
   *
   * @return a template, whose result has 1 to 512 bytes of UTF-8
   * @see FencedLock
   */
  @AliasFor("value")
  String name() default "";

  /**
   * The names of several locks in place of {@link #name}. The method runs under all of them, which
   * are acquired as a {@link io.mortise.MultiLock}: all or none, and without deadlocks among such
   * methods. A name that comes twice is one lock.
   *
   * <p>Each is a template as {@link #name} is. An expression that gives a collection or an array
   * gives a name for each element: <code>"items:#{#ids}"</code>. One template may have one such
   * expression. If there is no name at all, the call throws.
   *
   * @return templates; empty to use {@link #name}
   */
  String[] names() default {};

  /**
   * How many permits of the semaphore {@link #name} the method holds, in place of a lock. Permits
   * are not reentrant: a nested call takes as many once more. {@link LockService#getSemaphore}.
   *
   * @return 0 for a lock
   */
  int permits() default 0;

  /**
   * How many permits the semaphore gets if the store has no number for it. A number that is there
   * stays. Without this attribute the application sets it, and a call before that throws an {@link
   * IllegalStateException}.
   *
   * @return 0 to leave it to the application
   */
  int totalPermits() default 0;

  /**
   * Which lock of the name.
   *
   * @return {@link Kind#PLAIN} by default
   */
  Kind kind() default Kind.PLAIN;

  /**
   * What happens if another holder has the lock until the wait is over.
   *
   * @return {@link IfBusy#FAIL} by default
   */
  IfBusy ifBusy() default IfBusy.FAIL;

  /**
   * What answers a call in place of the method, if another holder has the lock until the wait is
   * over. It is the name of a method of the same class, or {@code @} and the name of a bean of type
   * {@link LockBusyHandler}.
   *
   * <p>The method has the same parameters as this one, or these and a {@link LockBusyException} as
   * the last one, and returns the same type. It is called on the object itself, past its proxy, on
   * the thread that has waited, or on a thread of this library for a publisher, for which no thread
   * waits. It may be private. It runs without the lock. If there is no such method or bean, the
   * start stops.
   *
   * @return empty for what {@link #ifBusy} says; properties are replaced
   */
  String busyHandler() default "";

  /**
   * The longest time to wait for the lock. (An attribute cannot be named {@code wait}.)
   *
   * @return {@code "0"}, a time such as {@code "5s"} or {@code "PT5S"}, or {@code "forever"}; empty
   *     for {@link WithLockSettings#waitFor}, 10 seconds by default; properties are replaced
   */
  String waitFor() default "";

  /**
   * A fixed lease, which is not renewed.
   *
   * @return a time such as {@code "20s"}; empty for a lease that is renewed until the method ends;
   *     properties are replaced
   */
  String lease() default "";

  /**
   * The longest time that a renewed lease is held. Then it is lost.
   *
   * @return a time such as {@code "30m"}; empty for no limit; properties are replaced
   */
  String maxHold() default "";

  /**
   * How long after its acquisition the lock is not free again, also if the method ends or fails
   * earlier. So a job that takes less time than the clocks of two processes differ by runs once. A
   * process that ends in the method keeps the lock no longer than its lease.
   *
   * @return a time such as {@code "1m"}; empty to release when the method ends; properties are
   *     replaced
   */
  String atLeast() default "";

  /**
   * What happens at once if the lease is lost.
   *
   * @return {@link OnLost#THROW} by default
   */
  OnLost onLost() default OnLost.THROW;

  /**
   * The bean name of the {@link LockService}.
   *
   * @return empty for the only one or the primary one
   */
  String service() default "";
}
