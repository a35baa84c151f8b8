package io.mortise.micronaut;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import io.mortise.annotations.internal.Times;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What holds for methods with {@link WithLock}.
 *
 * @param waitFor The longest time to wait for a lock, where the annotation says nothing: a time
 *     such as 10s, 0 or forever.
 */
@ConfigurationProperties("mortise.with-lock")
record WithLockProperties(@Bindable(defaultValue = "10s") String waitFor) {
  /**
   * The longest time to wait; null for no limit.
   *
   * @throws io.micronaut.context.exceptions.ConfigurationException the property is no time
   */
  @Nullable Duration longestWait() {
    return new Setting("mortise.with-lock.wait-for", waitFor).read(Times::readWait);
  }
}
