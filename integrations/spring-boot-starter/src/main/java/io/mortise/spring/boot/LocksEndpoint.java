package io.mortise.spring.boot;

import io.mortise.HoldInfo;
import io.mortise.LockService;
import io.mortise.LockStatus;
import io.mortise.WaitInfo;
import io.mortise.spring.boot.Sanitizing.Values;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The locks: {@code /actuator/locks} shows what this process holds and waits for, and sends no
 * command. {@code /actuator/locks/NAME} shows the holders of one lock in the store and its queue.
 *
 * <p>Lock names are data of the application. The endpoint is not exposed unless {@code
 * management.endpoints.web.exposure.include} names it. Holders and waiters are hidden unless {@code
 * management.endpoint.locks.show-values} shows them. A lock service that has not been used yet is
 * not opened.
 */
@WebEndpoint(id = "locks")
@SuppressWarnings("exports") // an application with Actuator calls it
public final class LocksEndpoint {
  private final Map<String, LockService> services;
  private final Sanitizing sanitizing;

  LocksEndpoint(Map<String, LockService> services, Sanitizing sanitizing) {
    this.services = services;
    this.sanitizing = sanitizing;
  }

  /**
   * The locks of this process.
   *
   * @param services by bean name; those that were opened
   */
  public record Locks(Map<String, Service> services) {}

  /**
   * The locks of one service.
   *
   * @param clientId the service's id in the store
   * @param held what it holds
   * @param waiting the attempts that wait
   */
  public record Service(@Nullable Object clientId, List<Held> held, List<Waiting> waiting) {}

  /**
   * A hold.
   *
   * @param name the lock's name
   * @param kind the kind of handle that acquired it
   * @param holder the acquisition id, as it is in the store
   * @param thread the thread that holds it; null for a lease
   * @param heldForMillis how long it has been held
   * @param leaseLeftMillis the time until the lease ends
   * @param state HELD, SUSPECT or LOST
   * @param renewed whether the lease is renewed
   * @param levels how many times the thread has locked it
   * @param waitingHere how many attempts of this process wait for it
   */
  public record Held(
      String name,
      String kind,
      @Nullable Object holder,
      @Nullable Object thread,
      long heldForMillis,
      long leaseLeftMillis,
      String state,
      boolean renewed,
      int levels,
      int waitingHere) {
    static Held of(HoldInfo hold, Values values) {
      return new Held(
          hold.name(),
          hold.kind().name(),
          values.of(hold.holder()),
          values.of(hold.threadName().orElse(null)),
          hold.heldFor().toMillis(),
          hold.leaseLeft().toMillis(),
          hold.state().name(),
          hold.renewed(),
          hold.levels(),
          hold.waitingHere());
    }
  }

  /**
   * An attempt that waits.
   *
   * @param name the lock's name
   * @param kind the kind of handle that waits
   * @param thread the thread that waits; null for a lease
   * @param waitingForMillis the time since the attempt began
   */
  public record Waiting(String name, String kind, @Nullable Object thread, long waitingForMillis) {
    static Waiting of(WaitInfo wait, Values values) {
      return new Waiting(
          wait.name(),
          wait.kind().name(),
          values.of(wait.threadName().orElse(null)),
          wait.waitingFor().toMillis());
    }
  }

  /**
   * A lock in the store.
   *
   * @param services its holds, by the bean name of the service whose store has it
   */
  public record Found(Map<String, List<Status>> services) {}

  /**
   * A lock that is held.
   *
   * @param kind PLAIN, also of fair and fenced locks; READ, WRITE or SEMAPHORE
   * @param leaseLeftMillis the time until the last of its leases ends
   * @param holders who holds it
   * @param waiters who waits in the store, in the order of the queue
   */
  public record Status(
      String kind, long leaseLeftMillis, List<Party> holders, List<Party> waiters) {
    static Status of(LockStatus lock, Values values) {
      return new Status(
          lock.kind().name(),
          lock.leaseLeft().toMillis(),
          lock.holders().stream().map(each -> Party.of(each, values)).toList(),
          lock.waiters().stream().map(each -> Party.of(each, values)).toList());
    }
  }

  /**
   * A holder or a waiter.
   *
   * @param id the acquisition id, as it is in the store
   * @param clientId the lock service
   * @param host the host; empty if the id does not say
   * @param pid the process id; -1 if the id does not say
   * @param threadId the thread; -1 if the id does not say
   * @param leaseLeftMillis of a holder, the time until its lease ends; null for a waiter
   * @param waitedMillis of a waiter, how long it has been in the queue; null for a holder
   */
  public record Party(
      @Nullable Object id,
      @Nullable Object clientId,
      @Nullable Object host,
      @Nullable Object pid,
      @Nullable Object threadId,
      @Nullable Long leaseLeftMillis,
      @Nullable Long waitedMillis) {
    static Party of(LockStatus.Holder holder, Values values) {
      return new Party(
          values.of(holder.id()),
          values.of(holder.clientId()),
          values.of(holder.host()),
          values.of(holder.pid()),
          values.of(holder.threadId()),
          holder.leaseLeft().toMillis(),
          null);
    }

    static Party of(LockStatus.Waiter waiter, Values values) {
      return new Party(
          values.of(waiter.id()),
          values.of(waiter.clientId()),
          values.of(waiter.host()),
          values.of(waiter.pid()),
          values.of(waiter.threadId()),
          null,
          waiter.waited().toMillis());
    }
  }

  /**
   * The locks that this process holds and waits for.
   *
   * @param caller who asks
   * @return a snapshot
   */
  @ReadOperation
  public Locks locks(SecurityContext caller) {
    Map<String, Service> all = new LinkedHashMap<>();
    opened().forEach((bean, service) -> all.put(bean, of(service, caller)));
    return new Locks(all);
  }

  /**
   * The holders of the lock of that name in the store, of all processes, and its queue.
   *
   * @param caller who asks
   * @param name the lock's name; its parts between slashes
   * @return null if nobody holds it
   */
  @ReadOperation
  public @Nullable Found lock(
      SecurityContext caller, @Selector(match = Match.ALL_REMAINING) String... name) {
    String text = String.join("/", name);
    Values values = sanitizing.values(caller, text);
    Map<String, List<Status>> found = new LinkedHashMap<>();
    opened()
        .forEach((bean, service) -> {
          List<Status> held =
              answer(() -> service.status(text)).stream()
                  .map(each -> Status.of(each, values))
                  .toList();
          if (!held.isEmpty()) {
            found.put(bean, held);
          }
        });
    return found.isEmpty() ? null : new Found(found);
  }

  /** The services that are open. To look must not open one. */
  Map<String, LockService> opened() {
    Map<String, LockService> opened = new LinkedHashMap<>(services);
    opened.values().removeIf(service -> !OpenedAtFirstUse.isOpen(service));
    return opened;
  }

  /** The answer to a question. A text that can be no name and no id is the caller's mistake. */
  static <T> T answer(Supplier<T> question) {
    try {
      return question.get();
    } catch (IllegalArgumentException e) {
      throw new InvalidEndpointRequestException(e.toString(), String.valueOf(e.getMessage()), e);
    }
  }

  private Service of(LockService service, SecurityContext caller) {
    return new Service(
        sanitizing.values(caller, "clientId").of(service.clientId()),
        service.holds().stream()
            .map(each -> Held.of(each, sanitizing.values(caller, each.name())))
            .toList(),
        service.waits().stream()
            .map(each -> Waiting.of(each, sanitizing.values(caller, each.name())))
            .toList());
  }
}
