package io.mortise.cdi;

import io.mortise.DistributedReadWriteLock;
import io.mortise.FencedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method runs while its thread holds a distributed lock, and never without it.
 *
 * <pre>{@code
 * @WithLock("orders:{id}")
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
 *       ended. If the caller already has a transaction, the lock is released before that is over.
 *   <li>A method that returns a {@link java.util.concurrent.CompletableFuture} or a {@link
 *       java.util.concurrent.CompletionStage} holds the lock until that completes.
 * </ul>
 *
 * <p>A thread that holds the lock may call other methods with the same lock.
 *
 * <p><b>What the container does not intercept.</b> The annotation has no effect on private methods,
 * on a method that is called by its own object, on callbacks such as {@code @PostConstruct}, on an
 * interface, on a method that another one overrides, and on an object that the container did not
 * make. The container may refuse final methods. {@link LockContext#ensureHeld(String)} in the
 * method refuses to go on without the lock in all these cases.
 *
 * <p>An annotation that does not fit its method is a {@link LockedMethodException} of each call.
 */
@InterceptorBinding
@Target({ElementType.METHOD, ElementType.TYPE}) // of types, the interceptor and other annotations
@Retention(RetentionPolicy.RUNTIME)
@Documented
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
     * java.util.Optional} or a stage, which is then empty, or null for a stage.
     */
    SKIP
  }

  /** What happens at once if the lease is lost while the method runs. */
  enum OnLost {
    /** Nothing at once. When the method returns, the call throws {@link LeaseLostException}. */
    THROW,
    /** In addition, the running thread is interrupted. */
    INTERRUPT
  }

  /**
   * The lock's name, as {@link #name}.
   *
   * @return a template
   */
  @Nonbinding
  String value() default "";

  /**
   * The lock's name: text with parameters in braces, by their number from 0 on or by their name:
   * <code>"orders:{0}"</code>, <code>"orders:{id}"</code>. Names need a class that was compiled
   * with {@code -parameters}. A parameter that is null, blank, a collection, an array, a map, or an
   * object without a text of its own makes the call throw. A name has no braces of its own.
   *
   * @return a template, whose result has 1 to 512 bytes of UTF-8
   * @see FencedLock
   */
  @Nonbinding
  String name() default "";

  /**
   * The names of several locks in place of {@link #name}. The method runs under all of them, which
   * are acquired as a {@link io.mortise.MultiLock}: all or none, and without deadlocks among such
   * methods. A name that comes twice is one lock.
   *
   * <p>Each is a template as {@link #name} is. A parameter that is a collection or an array gives a
   * name for each element: <code>"items:{ids}"</code>. One template may have one such parameter. If
   * there is no name at all, the call throws.
   *
   * @return templates; empty to use {@link #name}
   */
  @Nonbinding
  String[] names() default {};

  /**
   * Which lock of the name.
   *
   * @return {@link Kind#PLAIN} by default
   */
  @Nonbinding
  Kind kind() default Kind.PLAIN;

  /**
   * What happens if another holder has the lock until the wait is over.
   *
   * @return {@link IfBusy#FAIL} by default
   */
  @Nonbinding
  IfBusy ifBusy() default IfBusy.FAIL;

  /**
   * The longest time to wait for the lock. (An attribute cannot be named {@code wait}.)
   *
   * @return {@code "0"}, a time such as {@code "5s"} or {@code "PT5S"}, or {@code "forever"}
   */
  @Nonbinding
  String waitFor() default "10s";

  /**
   * A fixed lease, which is not renewed.
   *
   * @return a time such as {@code "20s"}; empty for a lease that is renewed until the method ends
   */
  @Nonbinding
  String lease() default "";

  /**
   * The longest time that a renewed lease is held. Then it is lost.
   *
   * @return a time such as {@code "30m"}; empty for no limit
   */
  @Nonbinding
  String maxHold() default "";

  /**
   * How long after its acquisition the lock is not free again, also if the method ends or fails
   * earlier. So a job that takes less time than the clocks of two processes differ by runs once. A
   * process that ends in the method keeps the lock no longer than its lease.
   *
   * @return a time such as {@code "1m"}; empty to release when the method ends
   */
  @Nonbinding
  String atLeast() default "";

  /**
   * What happens at once if the lease is lost.
   *
   * @return {@link OnLost#THROW} by default
   */
  @Nonbinding
  OnLost onLost() default OnLost.THROW;

  /**
   * The name of the {@link LockService}, as its {@link jakarta.inject.Named} says.
   *
   * @return empty for the only one
   */
  @Nonbinding
  String service() default "";
}
