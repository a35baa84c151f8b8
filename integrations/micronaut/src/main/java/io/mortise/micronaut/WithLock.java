package io.mortise.micronaut;

import io.micronaut.aop.Around;
import io.micronaut.context.annotation.AliasFor;
import io.micronaut.context.annotation.Executable;
import io.mortise.DistributedReadWriteLock;
import io.mortise.FencedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method runs while a distributed lock is held for it, and never without it.
 *
 * <pre>{@code
 * @WithLock("orders:{id}")
 * public Order pay(long id) { … }
 * }</pre>
 *
 * <p><b>What holds.</b>
 *
 * <ul>
 *   <li>If the lock cannot be acquired, the method does not run. A store that does not answer is an
 *       exception, also with {@link IfBusy#SKIP}.
 *   <li>The lock is released when the method has ended, also if it throws.
 *   <li>If the lease is lost while the method runs, the caller gets a {@link LeaseLostException}
 *       instead of the result. An exception of the method itself carries it as suppressed.
 *   <li>The lock is acquired before a transaction of the method begins, and released after it has
 *       ended. Each attempt of a retry acquires the lock anew.
 *   <li>A method that returns a {@link java.util.concurrent.CompletableFuture} or a {@link
 *       java.util.concurrent.CompletionStage} holds the lock until that completes.
 * </ul>
 *
 * <p>A thread that holds the lock may call other methods with the same lock, except those that
 * return a stage. A lease for a stage is bound to no thread, so it is not reentrant.
 *
 * <p><b>What stops the compilation.</b> Micronaut's annotation processor refuses a private or final
 * method, and a final class. It does nothing to a static method, which then has no lock.
 *
 * <p><b>What stops the start.</b> The attributes do not fit the method, its result is a publisher
 * or another type whose work goes on after the return, or there is no {@link LockService}. The
 * exception is a {@link LockedMethodException}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Around
@Executable(processOnStartup = true)
public @interface WithLock {
  /** Which lock of the name. */
  enum Kind {
    /** {@link LockService#getLock}. */
    PLAIN,
    /** {@link LockService#getFairLock}. */
    FAIR,
    /** {@link LockService#getFencedLock}, whose handle gives the method its token. */
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
     * java.util.Optional}, which is then empty, or a stage, which then completes with null.
     */
    SKIP
  }

  /**
   * The lock's name, as {@link #name}.
   *
   * @return a template
   */
  @AliasFor(member = "name")
  String value() default "";

  /**
   * The lock's name: text with parameters in braces, by name as {@code {id}}, or by number from 0
   * on as {@code {0}}. A property is {@code ${property}}. A name has no braces of its own. If an
   * argument is null, a blank text, a list, a map, or an object without a text of its own, the call
   * throws. A parameter that does not exist stops the start.
   *
   * @return a template, whose result has 1 to 512 bytes of UTF-8
   * @see FencedLock
   */
  @AliasFor(member = "value")
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
  String[] names() default {};

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
   * The longest time to wait for the lock. (An attribute cannot be named {@code wait}.)
   *
   * @return {@code "0"}, a time such as {@code "5s"} or {@code "PT5S"}, or {@code "forever"}; empty
   *     for the property {@code mortise.with-lock.wait-for}, 10 seconds by default; properties are
   *     replaced
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
   * The bean name of the {@link LockService}.
   *
   * @return empty for the only one or the primary one
   */
  String service() default "";
}
