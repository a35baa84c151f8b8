package io.mortise.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedReadWriteLock;
import io.mortise.Kind;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.LockStatus;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import io.mortise.spring.boot.LocksEndpoint.Held;
import io.mortise.spring.boot.LocksEndpoint.Party;
import io.mortise.spring.boot.LocksEndpoint.Service;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The endpoint as its properties make it, without HTTP. */
class LocksEndpointTest {
  private static final String NAME = "orders/42";
  private static final String HIDDEN = "******";

  private static final SecurityContext NOBODY = new Caller(null, Set.of());
  private static final SecurityContext USER = new Caller(() -> "user", Set.of("USER"));
  private static final SecurityContext OPERATOR = new Caller(() -> "op", Set.of("OPERATOR"));

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final Noting backend = new Noting(store.backend());
  private final LockService locks = LockService.of(backend);

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(LocksEndpointAutoConfiguration.class))
          .withBean("locks", LockService.class, () -> locks, bean -> bean.setDestroyMethodName(""))
          .withPropertyValues("management.endpoints.web.exposure.include=locks");

  @AfterEach
  void close() {
    locks.close();
  }

  /** Somebody with roles, or with none and no name. */
  private record Caller(@Nullable Principal principal, Set<String> roles)
      implements SecurityContext {
    @Override
    public @Nullable Principal getPrincipal() {
      return principal;
    }

    @Override
    public boolean isUserInRole(String role) {
      return roles.contains(role);
    }
  }

  /** Notes the names of the scripts that run. */
  private static class Noting extends ForwardingBackend {
    private final LockBackend target;
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    Noting(LockBackend target) {
      this.target = target;
    }

    @Override
    protected LockBackend target() {
      return target;
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      ran.add(call.script().name());
      return super.execute(call);
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      ran.add(call.script().name());
      return super.executeAsync(call);
    }
  }

  private static <T> T only(Map<String, T> services) {
    assertEquals(Set.of("locks"), services.keySet());
    return Objects.requireNonNull(services.get("locks"));
  }

  private static List<LocksEndpoint.Status> found(LocksEndpoint endpoint, SecurityContext caller) {
    return only(Objects.requireNonNull(endpoint.lock(caller, "orders", "42")).services());
  }

  /** Runs something in an application that holds the lock, with such properties. */
  private void run(Consumer<ApplicationContext> action, String... properties) {
    locks.getLock(NAME).lock();
    application.withPropertyValues(properties).run(action::accept);
    locks.getLock(NAME).unlock();
  }

  private void assertSees(boolean values, ApplicationContext context, SecurityContext caller) {
    LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
    LockStatus.Holder holder = locks.status(NAME).get(0).holders().get(0);
    Service service = only(endpoint.locks(caller).services());
    assertEquals(values ? locks.clientId() : HIDDEN, service.clientId());
    Held held = service.held().get(0);
    assertEquals(NAME, held.name());
    assertEquals(values ? holder.id() : HIDDEN, held.holder());
    assertEquals(values ? Thread.currentThread().getName() : HIDDEN, held.thread());
    Party party = found(endpoint, caller).get(0).holders().get(0);
    assertEquals(
        values
            ? List.of(holder.id(), locks.clientId(), holder.host(), holder.pid(), holder.threadId())
            : List.of(HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN),
        List.of(
            String.valueOf(party.id()),
            String.valueOf(party.clientId()),
            String.valueOf(party.host()),
            Objects.requireNonNull(party.pid()),
            Objects.requireNonNull(party.threadId())));
  }

  @Test
  void byDefaultNobodySeesWhoHolds() {
    run(context -> {
      assertSees(false, context, NOBODY);
      assertSees(false, context, OPERATOR);
    });
  }

  @Test
  void everybodySeesItWithAlways() {
    run(
        context -> assertSees(true, context, NOBODY),
        "management.endpoint.locks.show-values=always");
  }

  @Test
  void everyUserSeesItWhenAuthorizedWithoutRoles() {
    run(
        context -> {
          assertSees(false, context, NOBODY);
          assertSees(true, context, USER);
        },
        "management.endpoint.locks.show-values=when-authorized");
  }

  @Test
  void aUserInOneOfTheRolesSeesItWhenAuthorized() {
    run(
        context -> {
          assertSees(false, context, NOBODY);
          assertSees(false, context, USER);
          assertSees(true, context, OPERATOR);
        },
        "management.endpoint.locks.show-values=when-authorized",
        "management.endpoint.locks.roles=AUDITOR,OPERATOR");
  }

  @Test
  void aFunctionOfTheApplicationHidesWhatItWants() {
    locks.getLock(NAME).lock();
    application
        .withPropertyValues("management.endpoint.locks.show-values=always")
        .withBean(
            SanitizingFunction.class,
            () -> data -> data.getKey().equals(NAME) ? data.withSanitizedValue() : data)
        .run(context -> {
          LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
          assertEquals(HIDDEN, found(endpoint, OPERATOR).get(0).holders().get(0).id());
          assertEquals(locks.clientId(), only(endpoint.locks(OPERATOR).services()).clientId());
        });
    locks.getLock(NAME).unlock();
  }

  /** Time whose next reader first waits for what another thread does. */
  private static final class Meanwhile extends ForwardingTime {
    private final TimeSource time;
    private final AtomicReference<@Nullable Runnable> next = new AtomicReference<>();

    Meanwhile(TimeSource time) {
      this.time = time;
    }

    @Override
    protected TimeSource target() {
      return time;
    }

    @Override
    public long nanoTime() {
      Runnable first = next.getAndSet(null);
      if (first != null) {
        CompletableFuture.runAsync(first).join();
      }
      return time.nanoTime();
    }
  }

  /** A lease may be released by any thread, so the hook can be another one. */
  @Test
  void aHoldThatEndsWhileTheEndpointLooksIsNotShown() throws Exception {
    Meanwhile meanwhile = new Meanwhile(store.backend().time());
    LockBackend slow =
        new Noting(store.backend()) {
          @Override
          public TimeSource time() {
            return meanwhile;
          }
        };
    try (LockService busy = LockService.of(slow)) {
      Lease lease = busy.getLock(NAME).acquire();
      application
          .withBean("busy", LockService.class, () -> busy, bean -> bean.setDestroyMethodName(""))
          .run(context -> {
            LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
            meanwhile.next.set(lease::close);
            Service shown = endpoint.locks(NOBODY).services().get("busy");
            assertEquals(List.of(), Objects.requireNonNull(shown).held());
            assertFalse(lease.isValid());
          });
    }
  }

  @Test
  void toAskForOneLockWalksThroughNothing() {
    run(context -> {
      backend.ran.clear();
      assertEquals(1, found(context.getBean(LocksEndpoint.class), NOBODY).size());
      assertEquals(List.of("status", "status", "status", "status"), List.copyOf(backend.ran));
    });
  }

  @Test
  void aFreeLockIsNotFoundAndANameThatNoLockCanHaveIsABadRequest() {
    application.run(context -> {
      LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
      assertNull(endpoint.lock(NOBODY, "orders", "*"));
      assertThrows(InvalidEndpointRequestException.class, () -> endpoint.lock(NOBODY, "a{b"));
    });
  }

  private void forcing(Consumer<LocksForceUnlock> action) {
    application
        .withPropertyValues("mortise.actuator.force-unlock=true")
        .run(context -> action.accept(context.getBean(LocksForceUnlock.class)));
  }

  private static int end(LocksForceUnlock force, String holder) {
    return force.forceUnlock(holder, "orders", "42").getStatus();
  }

  @Test
  void theHolderThatIsNamedLosesItsHoldOfWhateverKind() throws Exception {
    DistributedReadWriteLock book = locks.getReadWriteLock(NAME);
    List<Lease> readers = List.of(book.readLock().acquire(), book.readLock().acquire());
    Lease permits = locks.getSemaphore(NAME, 3).acquire(2);
    locks.getLock(NAME).lock();
    List<LockStatus> held = locks.status(NAME);
    assertEquals(
        List.of(Kind.PLAIN, Kind.READ, Kind.SEMAPHORE),
        held.stream().map(LockStatus::kind).toList());
    forcing(force -> {
      assertEquals(404, end(force, "nobody"));
      assertThrows(InvalidEndpointRequestException.class, () -> end(force, ""));
      for (LockStatus each : held) {
        String holder = each.holders().get(0).id();
        assertEquals(204, end(force, holder));
        assertEquals(404, end(force, holder));
      }
    });
    assertFalse(locks.getLock(NAME).isLocked());
    assertEquals(3, locks.getSemaphore(NAME).availablePermits());
    assertFalse(permits.isValid());
    assertEquals(1, readers.stream().filter(Lease::isValid).count());
    assertEquals(List.of(Kind.READ), locks.status(NAME).stream().map(LockStatus::kind).toList());
  }

  @Test
  void aHoldOfALockThatIsSharedWithRedissonIsShownAndEnded() {
    LockService shared =
        LockService.builder().backend(store.backend()).redissonInterop(true).open();
    shared.getLock(NAME).lock();
    String holder = shared.status(NAME).get(0).holders().get(0).id();
    application
        .withBean("shared", LockService.class, () -> shared, bean -> bean.setDestroyMethodName(""))
        .withPropertyValues("mortise.actuator.force-unlock=true")
        .run(context -> {
          assertEquals(204, end(context.getBean(LocksForceUnlock.class), holder));
          assertFalse(shared.getLock(NAME).isLocked());
        });
    shared.close();
  }

  @Test
  void theLogShowsALockWhoseHoldWasEndedOnOneLine() {
    locks.getLock("order\n42").lock();
    String holder = locks.status("order\n42").get(0).holders().get(0).id();
    PrintStream before = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    forcing(force -> {
      System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
      try {
        assertEquals(204, force.forceUnlock(holder, "order\n42").getStatus());
      } finally {
        System.setErr(before);
      }
    });
    String log = said.toString(StandardCharsets.UTF_8);
    assertTrue(log.contains("of lock 'order\\u000a42' was ended through the endpoint"), log);
  }

  @Test
  void withoutItsPropertyNoHoldCanBeEnded() {
    application.run(
        context -> assertEquals(0, context.getBeanNamesForType(LocksForceUnlock.class).length));
  }
}
