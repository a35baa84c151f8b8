package io.mortise.cdi;

import static io.mortise.cdi.Containers.force;
import static io.mortise.cdi.Containers.isFree;
import static io.mortise.cdi.Containers.whileHeldElsewhere;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseLostException;
import io.mortise.conformance.support.Await;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ComponentsProvider;
import io.quarkus.arc.processor.BeanArchives;
import io.quarkus.arc.processor.BeanProcessor;
import io.quarkus.arc.processor.ResourceOutput.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.jandex.Index;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.Indexer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The same on ArC, the container of Quarkus. It makes its classes before the start of an
 * application, as the build of Quarkus does, and removes beans that nothing seems to use.
 */
class ArcTest {
  @ApplicationScoped
  static class Shop {
    CompletableFuture<String> work = new CompletableFuture<>();
    Runnable inside = () -> {};

    CompletableFuture<String> work() {
      return work;
    }

    void inside(Runnable task) {
      inside = task;
    }

    @WithLock("orders:{id}")
    public String pay(long id) {
      LockContext.ensureHeld("orders:" + id);
      inside.run();
      return "paid " + id;
    }

    @WithLock(
        names = {"account:{0}", "account:{1}"},
        waitFor = "0")
    String transfer(String from, String to) {
      inside.run();
      return from + to;
    }

    @WithLock("stock")
    @Containers.InTransaction
    public void sell() {
      inside.run();
    }

    @WithLock("stage")
    public CompletableFuture<String> stage() {
      return work;
    }

    @WithLock("a:{typo}")
    public void unknown(long id) {}
  }

  @Singleton
  static class PrivateMethod {
    @WithLock("a")
    private void hidden() {}

    void call() {
      hidden();
    }
  }

  private static Shop shop;

  @BeforeAll
  static void start() throws Exception {
    build(
        Shop.class,
        Containers.Locks.class,
        Containers.Transactions.class,
        Containers.InTransaction.class);
    Arc.initialize();
    shop = Arc.container().instance(Shop.class).get();
  }

  @AfterAll
  static void stop() {
    Arc.shutdown();
  }

  @AfterEach
  void nothingIsHeld() {
    shop.inside(() -> {});
    Containers.assertNothingIsHeld();
  }

  /** Writes what the container needs at run time beside the classes of these tests. */
  private static void build(Class<?>... beans) throws Exception {
    IndexView archive = BeanArchives.buildImmutableBeanArchiveIndex(index(beans));
    Path classes = Path.of("target/test-classes");
    BeanProcessor.Builder builder =
        BeanProcessor.builder()
            .setName("ArcTest")
            .setImmutableBeanArchiveIndex(archive)
            .setComputingBeanArchiveIndex(
                BeanArchives.buildComputingBeanArchiveIndex(
                    ArcTest.class.getClassLoader(), new ConcurrentHashMap<>(), archive))
            .setRemoveUnusedBeans(true)
            .addRemovalExclusion(bean -> bean.getBeanClass().toString().endsWith("Shop"))
            .setOutput(resource -> write(resource, classes));
    builder.setFailOnInterceptedPrivateMethod(true); // as Quarkus does
    builder.build().process();
  }

  private static Index index(Class<?>... beans) throws IOException {
    Indexer indexer = new Indexer();
    for (Class<?> each : beans) {
      index(indexer, each);
    }
    index(indexer, WithLock.class);
    index(indexer, WithLockInterceptor.class);
    return indexer.complete();
  }

  private static void index(Indexer indexer, Class<?> type) throws IOException {
    String file = type.getName().replace('.', '/') + ".class";
    try (InputStream bytes = type.getClassLoader().getResourceAsStream(file)) {
      indexer.index(bytes);
    }
  }

  private static void write(Resource resource, Path classes) throws IOException {
    if (resource.getType() == Resource.Type.JAVA_CLASS) {
      resource.writeTo(classes.toFile());
    } else {
      Path services = Files.createDirectories(classes.resolve("META-INF/services"));
      Files.write(services.resolve(ComponentsProvider.class.getName()), resource.getData());
    }
  }

  @Test
  void theLockIsHeldWhileTheMethodRuns() {
    shop.inside(() -> assertFalse(isFree("orders:42")));
    assertEquals("paid 42", shop.pay(42));
    assertTrue(isFree("orders:42"));
    shop.inside(() -> assertFalse(isFree("account:a") || isFree("account:b")));
    assertEquals("ab", shop.transfer("a", "b"));
  }

  @Test
  void aBusyLockIsAnException() throws Throwable {
    whileHeldElsewhere(
        "account:b", () -> assertThrows(LockBusyException.class, () -> shop.transfer("a", "b")));
  }

  @Test
  void aLossReplacesTheResult() {
    shop.inside(() -> force("orders:42"));
    assertThrows(LeaseLostException.class, () -> shop.pay(42));
  }

  @Test
  void theTransactionIsInsideOfTheLock() {
    shop.sell();
    assertEquals("held, held", Containers.Transactions.seen);
  }

  @Test
  void aStageHoldsTheLockUntilItCompletes() {
    CompletableFuture<String> stage = shop.stage();
    assertFalse(isFree("stage"));
    shop.work().complete("done");
    assertEquals("done", Await.value(stage));
    assertTrue(isFree("stage"));
  }

  @Test
  void anAnnotationThatDoesNotFitIsRefused() {
    var refused = assertThrows(LockedMethodException.class, () -> shop.unknown(1));
    assertTrue(refused.problem().contains("{typo}"), refused.problem());
  }

  @Test
  void aPrivateMethodStopsTheBuild() {
    List<Class<?>> beans = List.of(PrivateMethod.class, Containers.Locks.class);
    assertThrows(DeploymentException.class, () -> build(beans.toArray(Class<?>[]::new)));
  }
}
