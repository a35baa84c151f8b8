package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.AsyncLock;
import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.annotations.internal.LockTarget;
import io.mortise.annotations.internal.Target;
import io.mortise.conformance.support.Await;
import io.mortise.spring.WithLock.IfBusy;
import io.mortise.spring.WithLock.OnLost;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.reactivestreams.Subscription;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A method that returns a publisher holds its lock for each subscription until that ends. */
class PublisherTest {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  static class Shop {
    final CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
    final AtomicInteger runs = new AtomicInteger();
    volatile String thread = "";
    volatile Runnable inside = () -> {};

    @WithLock(name = "stock", waitFor = "0")
    public Mono<String> sell() {
      runs.incrementAndGet();
      thread = Thread.currentThread().getName();
      return Mono.fromCallable(() -> {
        LockContext.ensureHeld();
        inside.run();
        return "sold";
      });
    }

    @WithLock(name = "stock", waitFor = "0", ifBusy = IfBusy.SKIP)
    public Mono<String> sellIfFree() {
      return sell();
    }

    @WithLock("shelf-#{#number}")
    public Mono<String> shelf(int number, Supplier<String> work) {
      return Mono.fromSupplier(work);
    }

    @WithLock(name = "stock", waitFor = "0")
    public Flux<Integer> list() {
      return Flux.range(1, 3).doOnNext(each -> inside.run());
    }

    @WithLock("stock")
    public Mono<Void> clear() {
      return Mono.fromRunnable(inside);
    }

    @WithLock(name = "stock", waitFor = "0")
    public Mono<String> broken() {
      return Mono.fromRunnable(inside).then(Mono.error(new IllegalArgumentException("own")));
    }

    @WithLock(name = "stock", waitFor = "0", onLost = OnLost.INTERRUPT)
    public Flux<Integer> endless() {
      return Flux.<Integer>never()
          .doOnRequest(n -> inside.run())
          .doOnCancel(() -> cancelled.complete(true));
    }

    @WithLock(name = "stock", waitFor = "forever")
    public Mono<String> patient() {
      return Mono.just("sold");
    }

    @WithLock(name = "stock", waitFor = "0")
    public Mono<String> around(Mono<String> other) {
      return Mono.delay(Duration.ofMillis(5)).then(other);
    }
  }

  private final Shop shop = world.start(Shop.class, Object.class);
  private final Shop target = World.target(shop, Shop.class);

  @Test
  void theMethodRunsForEachSubscriptionUnderTheLock() {
    Mono<String> sold = shop.sell();
    assertEquals(0, target.runs.get());
    target.inside = () -> assertFalse(world.isFree("stock"));
    assertEquals("sold", sold.block());
    assertTrue(world.isFree("stock"));
    assertEquals("sold", sold.block());
    assertEquals(2, target.runs.get());
    assertTrue(target.thread.startsWith("mortise-publishers"), target.thread);
  }

  @Test
  void manyMethodsMayAllBlockForAnother() {
    int many = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE; // the limit of such threads elsewhere
    CountDownLatch inside = new CountDownLatch(many);
    Flux<String> all =
        Flux.range(0, many)
            .flatMap(
                number ->
                    shop.shelf(
                        number,
                        () -> {
                          inside.countDown();
                          return blockFor(inside, shop.shelf(many + number, () -> "sold"));
                        }),
                many);
    assertEquals(many, all.collectList().block(PATIENCE).size());
  }

  /** Blocks until all do, and then for the other one. */
  private static String blockFor(CountDownLatch all, Mono<String> other) {
    try {
      assertTrue(all.await(15, TimeUnit.SECONDS), "not all are inside");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return Objects.requireNonNull(other.block());
  }

  @Test
  void blockingTasksOfTheApplicationDelayNothing() throws Throwable {
    int threads = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE;
    CountDownLatch busy = new CountDownLatch(threads);
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    for (int i = 0; i < threads; i++) {
      Schedulers.boundedElastic()
          .schedule(() -> {
            busy.countDown();
            end.join();
          });
    }
    assertTrue(busy.await(15, TimeUnit.SECONDS));
    try {
      assertEquals("sold", shop.sell().block(PATIENCE));
      target.inside = () -> world.force("stock");
      assertThrows(LeaseLostException.class, () -> shop.clear().block(PATIENCE));
      assertThrows(LeaseLostException.class, () -> shop.endless().blockLast(PATIENCE));
      world.whileHeldElsewhere(
          "stock", () -> assertThrows(LockBusyException.class, () -> shop.sell().block(PATIENCE)));
    } finally {
      end.complete(true);
    }
  }

  @Test
  void everyElementComesUnderTheLock() {
    target.inside = () -> assertFalse(world.isFree("stock"));
    assertEquals(List.of(1, 2, 3), shop.list().collectList().block());
    assertTrue(world.isFree("stock"));
  }

  @Test
  void aLossReplacesTheResult() {
    target.inside = () -> world.force("stock");
    assertThrows(LeaseLostException.class, () -> shop.sell().block());
  }

  @Test
  void aLossThatTheEndFindsIsToldAsItIs() {
    target.inside = () -> world.force("stock");
    AtomicReference<Throwable> told = new AtomicReference<>();
    shop.clear().onErrorResume(lost -> Mono.fromRunnable(() -> told.set(lost))).block(PATIENCE);
    assertInstanceOf(LeaseLostException.class, told.get());
  }

  @Test
  void noElementFollowsALoss() {
    List<Integer> seen = new CopyOnWriteArrayList<>();
    Flux<Integer> list =
        shop.list()
            .doOnNext(each -> {
              seen.add(each);
              world.force("stock");
              Await.until("the loss is known", () -> world.here.holds().isEmpty());
            });
    assertThrows(LeaseLostException.class, list::blockLast);
    assertEquals(List.of(1), seen);
  }

  @Test
  void aLossIsSuppressedInTheFailure() {
    target.inside = () -> world.force("stock");
    var thrown = assertThrows(IllegalArgumentException.class, () -> shop.broken().block());
    assertTrue(
        List.of(thrown.getSuppressed()).stream().anyMatch(LeaseLostException.class::isInstance));
  }

  @Test
  void aLossCancelsAPublisherThatAsksForIt() {
    target.inside = () -> world.force("stock");
    assertThrows(LeaseLostException.class, () -> shop.endless().blockLast());
    assertTrue(Await.value(target.cancelled));
  }

  @Test
  void toCancelReleases() {
    CompletableFuture<Boolean> subscribed = new CompletableFuture<>();
    target.inside = () -> subscribed.complete(true);
    var subscription = shop.endless().subscribe();
    Await.value(subscribed);
    assertFalse(world.isFree("stock"));
    subscription.dispose();
    Await.until("the lock is free", () -> world.isFree("stock"));
  }

  @Test
  void toCancelWhileWaitingWithdraws() throws Throwable {
    world.whileHeldElsewhere(
        "stock",
        () -> {
          var waiting = shop.patient().subscribe();
          waiting.dispose();
        });
    Await.until("the lock is free", () -> world.isFree("stock"));
    assertEquals("sold", shop.patient().block());
  }

  @Test
  void aThreadThatWouldWaitForItselfIsRefused() throws Exception {
    Mono<String> patient = shop.patient();
    LockTemplate template = new LockTemplate(world.here);
    refuses(() -> template.execute("stock", () -> patient.block(PATIENCE)));
    DistributedLock byHand = world.here.getLock("stock");
    byHand.lock();
    refuses(() -> patient.block(PATIENCE));
    byHand.unlock();
    assertEquals("sold", patient.block());
  }

  @Test
  void aPublisherThatWouldWaitForItselfIsRefusedOnEveryThread() {
    refuses(() -> shop.around(shop.patient()).block(PATIENCE));
    assertTrue(world.isFree("stock"));
    assertEquals("sold", shop.around(Mono.just("sold")).block());
  }

  private static void refuses(Executable waiting) {
    var refused = assertThrows(IllegalStateException.class, waiting);
    assertTrue(World.message(refused).contains("'stock'"), World.message(refused));
    assertTrue(World.message(refused).contains("wait for"), World.message(refused));
  }

  @Test
  void aLeaseThatIsGrantedWhileItsSubscriberGoesIsGivenBack() throws Exception {
    CompletableFuture<Lease> grant = new CompletableFuture<>();
    DistributedLock lock = world.here.getLock("stock");
    AsyncLock async = World.with(AsyncLock.class, lock.async(), "acquire", grant);
    Mono<?> patient =
        patient(LockTarget.of(List.of(World.with(DistributedLock.class, lock, "async", async))));
    var subscription = patient.subscribe();
    var unused =
        grant.thenRun(subscription::dispose); // runs first: a future begins with the newest
    grant.complete(lock.acquire());
    Await.until("the lock is free", () -> world.isFree("stock"));
  }

  @Test
  void aLeaseThatIsThereWhenItsSubscriberGoesIsGivenBack() {
    for (Mono<String> each : List.of(shop.patient(), shop.sell())) {
      each.subscribe(
          new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
              subscription.cancel();
            }
          });
      Await.until("the lock is free", () -> world.isFree("stock"));
    }
  }

  @Test
  void permitsOfTheSecondAttemptAreGivenBackToo() throws Exception {
    DistributedSemaphore printers = world.here.getSemaphore("printers");
    CompletableFuture<Lease> second = new CompletableFuture<>();
    BaseSubscriber<Object> subscriber = new BaseSubscriber<>() {};
    AtomicInteger attempts = new AtomicInteger();
    InvocationHandler acquire =
        (proxy, method, arguments) -> {
          CompletableFuture<Lease> lease = printers.async(1).acquire();
          if (attempts.incrementAndGet() == 2) {
            second.complete(Await.value(lease));
            subscriber.cancel();
          }
          return lease;
        };
    Object async =
        Proxy.newProxyInstance(
            AsyncLock.class.getClassLoader(), new Class<?>[] {AsyncLock.class}, acquire);
    DistributedSemaphore watched = World.with(DistributedSemaphore.class, printers, "async", async);
    patient(new PermitTarget(watched, new Permits(1, 1))).subscribe(subscriber);
    Lease lease = Await.value(second);
    Await.until("the permit is given back", () -> !lease.isValid());
  }

  /** The publisher for a method that waits for the target without limit. */
  private static Mono<?> patient(Target target) throws Exception {
    WithLockSettings settings = new WithLockSettings();
    LockedMethod method =
        new LockedMethods(new DefaultListableBeanFactory(), settings)
            .find(Shop.class.getMethod("patient"), Shop.class);
    Object patient =
        new PublisherLocker(new InTransactionRule(settings.inTransaction()))
            .run(
                Objects.requireNonNull(method),
                target,
                () -> Mono.just("sold"),
                () -> Mono.empty());
    return (Mono<?>) patient;
  }

  @Test
  void theLockIsFreeHoweverASubscriberGoes() {
    for (int i = 0; i < 200; i++) {
      var subscription = shop.patient().subscribe();
      LockSupport.parkNanos(i * 5_000L);
      subscription.dispose();
    }
    Await.until("the lock is free", () -> world.isFree("stock"));
    assertEquals("sold", shop.patient().block(PATIENCE));
  }

  @Test
  void aBusyLockIsAnErrorOrEmpty() throws Throwable {
    world.whileHeldElsewhere(
        "stock",
        () -> {
          assertThrows(LockBusyException.class, () -> shop.sell().block());
          assertNull(shop.sellIfFree().block());
        });
    assertEquals(0, target.runs.get());
  }

  @Test
  void aStoreThatIsDownIsAnError() {
    world.down = true;
    assertThrows(BackendUnavailableException.class, () -> shop.sell().block());
    assertThrows(BackendUnavailableException.class, () -> shop.sellIfFree().block());
    assertInstanceOf(Mono.class, shop.sell());
    assertEquals(0, target.runs.get());
  }
}
