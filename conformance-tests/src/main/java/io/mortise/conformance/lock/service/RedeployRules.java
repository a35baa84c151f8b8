package io.mortise.conformance.lock.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Applications that come and go in a JVM in which this library stays. */
@Rule("L15")
public abstract class RedeployRules extends LockRules {
  private static final int DEPLOYMENTS = 10;
  private static final InheritableThreadLocal<Object> CONTEXT = new InheritableThreadLocal<>();

  private final LockKit kit;

  protected RedeployRules(LockKit kit) {
    super(kit);
    this.kit = kit;
  }

  /** The application. Each deployment has a class of its own of it. */
  public static final class Application implements Consumer<Supplier<LockBackend>> {
    private static final String NAME = "redeployed";

    /** Uses a service, and closes it. */
    @Override
    public void accept(Supplier<LockBackend> backend) {
      CompletableFuture<Object> lost = new CompletableFuture<>();
      try (LockService service = LockService.builder().backend(backend.get()).open()) {
        DistributedLock lock = service.getLock(NAME + ProcessHandle.current().pid());
        lock.onLeaseLost(change -> lost.complete(this));
        lock.lock();
        lock.forceUnlock();
        Object unused = Await.value(lost);
        unlockLost(lock);
        Await.value(lock.async().acquire().thenCompose(Lease::releaseAsync));
        Await.value(lock.async().tryAcquire(Duration.ofMillis(50))).ifPresent(Lease::close);
      }
    }

    private static void unlockLost(DistributedLock lock) {
      try {
        lock.unlock();
      } catch (LeaseLostException e) {
        // expected: it was forced open
      }
    }
  }

  /** A loader with its own class of the application, and all other classes of its parent. */
  private static final class Deployment extends URLClassLoader {
    Deployment() {
      super(new URL[0], RedeployRules.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String type, boolean resolve) throws ClassNotFoundException {
      return type.equals(Application.class.getName())
          ? defined(type)
          : super.loadClass(type, resolve);
    }

    private synchronized Class<?> defined(String type) throws ClassNotFoundException {
      Class<?> known = findLoadedClass(type);
      String file = type.replace('.', '/') + ".class";
      try (InputStream in = getResourceAsStream(file)) {
        if (in == null) {
          throw new ClassNotFoundException(type);
        }
        byte[] code = in.readAllBytes();
        return known == null ? defineClass(type, code, 0, code.length) : known;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void anApplicationThatWasUndeployedIsCollected() throws InterruptedException {
    List<WeakReference<ClassLoader>> all = new ArrayList<>();
    LockService staying = service();
    for (int i = 0; i < DEPLOYMENTS; i++) {
      all.add(deployed());
      staying.getLock(name).lock(); // renewed all the time, so the timer lives on
    }

    Await.until(
        "all loaders are collected",
        () -> {
          System.gc();
          return all.stream().allMatch(each -> each.get() == null);
        });
  }

  /** Runs the application on a thread of its container. */
  private WeakReference<ClassLoader> deployed() throws InterruptedException {
    Deployment loader = new Deployment();
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    Thread request = new Thread(() -> run(loader, ended), "request");
    request.setContextClassLoader(loader);
    request.start();
    request.join();
    Await.value(ended);
    return new WeakReference<>(loader);
  }

  private void run(Deployment loader, CompletableFuture<Boolean> ended) {
    try (loader) {
      @SuppressWarnings("unchecked") // it is the class above
      Consumer<Supplier<LockBackend>> application =
          (Consumer<Supplier<LockBackend>>)
              loader.loadClass(Application.class.getName()).getDeclaredConstructor().newInstance();
      assertNotEquals(Application.class, application.getClass());
      CONTEXT.set(application); // as a security context has objects of the application
      application.accept(kit::openBackend);
      ended.complete(true);
    } catch (Exception | Error e) {
      ended.completeExceptionally(e);
    } finally {
      CONTEXT.remove();
    }
  }

  private static String context() {
    return String.valueOf(CONTEXT.get());
  }

  @Test
  void aCallbackHasNothingOfTheThreadThatStartedItsThread() {
    CONTEXT.set("the first request");
    try {
      LockService service = service(builder -> builder.leaseTime(Duration.ofSeconds(2)));
      DistributedLock lock = service.getLock(name);
      CompletableFuture<String> told = new CompletableFuture<>();
      lock.onLeaseLost(change -> told.complete(context()));
      CompletableFuture<String> seen =
          lock.async().withLease(lease -> CompletableFuture.completedStage(context()));
      lock.lock(100, TimeUnit.MILLISECONDS);
      passTimeUntil("the lease is lost", SECOND.multipliedBy(10), told::isDone);

      assertEquals("null", Await.value(told), "in a listener");
      assertEquals("null", Await.value(seen), "behind a future");
    } finally {
      CONTEXT.remove();
    }
  }
}
