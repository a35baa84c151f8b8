package io.mortise.spring.boot;

import io.mortise.LockService;
import io.mortise.spi.internal.Shown;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Lets a caller of the endpoint end one hold: {@code DELETE /actuator/locks/NAME?holder=ID}. It
 * exists only with {@code mortise.actuator.force-unlock=true}.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@SuppressWarnings("exports") // an application with Actuator calls it
public final class LocksForceUnlock {
  private static final Logger LOG = LoggerFactory.getLogger(LocksForceUnlock.class);

  private final LocksEndpoint endpoint;

  LocksForceUnlock(LocksEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Ends a hold of a lock, of one side of a read/write lock, or of permits of a semaphore, if that
   * holder still has it.
   *
   * @param holder the acquisition id, as the endpoint shows it
   * @param name the lock's name; its parts between slashes
   * @return the status 204, or 404 if that id does not hold it
   */
  @DeleteOperation
  public WebEndpointResponse<Void> forceUnlock(
      String holder, @Selector(match = Match.ALL_REMAINING) String... name) {
    String text = String.join("/", name);
    boolean ended =
        LocksEndpoint.answer(
            () -> endpoint.opened().values().stream().anyMatch(each -> ends(each, text, holder)));
    if (ended) {
      LOG.warn(
          "the hold {} of lock '{}' was ended through the endpoint",
          Shown.of(holder),
          Shown.of(text));
    }
    return new WebEndpointResponse<>(
        ended ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_NOT_FOUND);
  }

  private static boolean ends(LockService service, String name, String holder) {
    return service.status(name).stream()
        .anyMatch(held ->
            switch (held.kind()) {
              case READ -> service.getReadWriteLock(name).readLock().forceUnlock(holder);
              case WRITE -> service.getReadWriteLock(name).writeLock().forceUnlock(holder);
              case SEMAPHORE -> service.getSemaphore(name).forceRelease(holder);
              default -> service.getLock(name).forceUnlock(holder);
            });
  }
}
