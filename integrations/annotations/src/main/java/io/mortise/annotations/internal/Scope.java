package io.mortise.annotations.internal;

/**
 * What ends when locked work has ended. As a resource of {@code try} it gives the rule for a loss:
 * the exception of {@link #close} replaces a result, and is suppressed in an exception of the work.
 */
public interface Scope extends AutoCloseable {
  /**
   * Ends it.
   *
   * @throws io.mortise.LeaseLostException the lease was over before
   */
  @Override
  void close();
}
