package io.mortise.spring;

import io.mortise.DistributedSemaphore;
import io.mortise.LockService;
import io.mortise.annotations.internal.LockTerms;
import io.mortise.annotations.internal.Target;
import java.time.Duration;
import java.util.List;

/**
 * The permits of a semaphore that a method takes, if it takes any.
 *
 * @param each how many one call takes; 0 if the method has a lock
 * @param total how many the semaphore gets if it has none; 0 to leave that to the application
 */
record Permits(int each, int total) {
  /** What a call with these names holds. */
  Target target(LockTerms terms, LockService service, List<String> names) {
    if (each == 0) {
      return terms.target(service, names);
    }
    DistributedSemaphore semaphore = service.getSemaphore(names.get(0));
    Duration lease = terms.handle().lease();
    return new PermitTarget(lease == null ? semaphore : semaphore.withLease(lease), this);
  }
}
