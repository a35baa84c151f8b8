package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import io.mortise.backend.sample.SampleBackendProvider;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.lang.reflect.Method;
import java.net.URI;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** The test for each defect notices it. */
@Tag("ci")
class BrokenBackendsTest {
  private static final Queue<LockBackend> GOOD = new ConcurrentLinkedQueue<>();
  private static volatile Defect defect = Defect.LOSES_THE_INTERRUPT;

  /** The suite on a backend with the defect. It is no test class by itself. */
  static class Suite extends RedisBackendConformance {
    @Override
    protected LockBackendProvider provider() {
      return new SampleBackendProvider();
    }

    @Override
    protected LockBackend open(URI uri) {
      LockBackend good = super.open(uri);
      GOOD.add(good);
      return defect.spoil(good);
    }
  }

  @BeforeAll
  static void loseNoTime() {
    System.setProperty("mortise.patience", "2");
  }

  @AfterAll
  static void closeAll() {
    System.clearProperty("mortise.patience");
    GOOD.forEach(LockBackend::close);
  }

  @ParameterizedTest
  @EnumSource
  void everyDefectIsNoticed(Defect which) {
    defect = which;
    Method test = method(which);
    Events tests =
        EngineTestKit.engine("junit-jupiter")
            .configurationParameter("mortise.rules.folder", "")
            .selectors(selectNestedMethod(List.of(Suite.class), which.group(), test))
            .execute()
            .testEvents();
    assertTrue(tests.started().count() > 0, "the test was found");
    assertTrue(tests.failed().count() > 0, () -> which + " went unnoticed by " + which.test());
  }

  private static Method method(Defect which) {
    List<Method> found =
        ReflectionSupport.findMethods(
            which.group(),
            method -> method.getName().equals(which.test()),
            HierarchyTraversalMode.TOP_DOWN);
    assertEquals(1, found.size(), () -> "tests " + which.test());
    return found.get(0);
  }
}
