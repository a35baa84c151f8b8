package io.mortise.internal.engine;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.mortise.DistributedLock;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.ClientId;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.List;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The gate, its agent and the mailbox under a model checker. Lincheck runs random scenarios of
 * threads that lock, count and unlock. Each runs in many interleavings that switch threads at any
 * shared access, and must give the result of a plain counter. A failure is reported with its
 * interleaving. It repeats, because scenarios and interleavings are the same in every run.
 *
 * <p>In Lincheck every park may end without a reason. So this test cannot find a lost wake-up. The
 * tests with a barrier do.
 *
 * <p>Each check is a class of its own, so that they run side by side.
 *
 * <p>{@code -Dmortise.soak=600} goes on for about that many seconds, with three threads.
 */
@Tag("once")
@Tag("L1")
@Tag("L6")
class GateLincheckTest {
  private static final int SOAK = Integer.getInteger("mortise.soak", 0);

  /** One service on a model store, and the actions of its threads. */
  abstract static class Counting {
    private final LockKeys keys = LockKeys.of("mortise:", "x");
    final ModelStore store = new ModelStore(keys);
    final DistributedLock lock;
    final DistributedLock fixed;
    int counter;

    Counting() {
      this(Duration.ZERO);
    }

    Counting(Duration retain) {
      Duration timeout = Duration.ofSeconds(2);
      ServiceOptions settings =
          new ServiceOptions(
              Duration.ofSeconds(30),
              null,
              timeout,
              "mortise:",
              ServiceOptions.NO_LIMIT,
              retain,
              false,
              false,
              false,
              null,
              QueueTimes.standard(timeout));
      LeaseEvents events = new LeaseEvents(List.of(), Runnable::run);
      Engine engine = new Engine(new ClientId("model"), store, settings, events);
      store.deliverTo(engine.mailbox());
      lock = Handles.of(engine, keys);
      fixed = Handles.of(engine, keys, LeaseTerms.fixed(Duration.ofSeconds(30)));
    }

    int countAndUnlock() {
      int counted = ++counter;
      lock.unlock();
      return counted;
    }
  }

  /**
   * Threads that take over what the service retains, and threads that cannot and give it back
   * first. Another process wants the lock at any moment.
   */
  public static final class Retaining extends Counting {
    public Retaining() {
      super(Duration.ofMillis(10));
    }

    @Operation
    public int count() {
      lock.lock();
      return countAndUnlock();
    }

    @Operation
    public int countInTime() {
      store.wish();
      fixed.lock();
      return countAndUnlock();
    }
  }

  /** Threads that lock in all ways that wait. */
  public static final class Guarded extends Counting {
    @Operation
    public int count() {
      lock.lock();
      return countAndUnlock();
    }

    @Operation
    public int countInTime() throws InterruptedException {
      if (!lock.tryLock(Duration.ofHours(1))) {
        throw new AssertionError("time does not move");
      }
      return countAndUnlock();
    }
  }

  /** The same, with a thread that does not lock. */
  public static final class Unguarded extends Counting {
    @Operation
    public int count() {
      lock.lock();
      return countAndUnlock();
    }

    @Operation
    public int countInTime() {
      return ++counter;
    }
  }

  /** The sequential specification. */
  public static final class Counter {
    private int counter;

    public int count() {
      return ++counter;
    }

    public int countInTime() {
      return ++counter;
    }
  }

  @Test
  void threadsThatLockCountAsOneWould() {
    options().check(Guarded.class);
  }

  static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .iterations(SOAK > 0 ? 1 + SOAK / 90 : 2) // each took 86 s on a processor of 2.1 GHz
        .invocationsPerIteration(SOAK > 0 ? 1_000 : 60)
        .threads(SOAK > 0 ? 3 : 2)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(0)
        .minimizeFailedScenario(false)
        .invocationTimeout$lincheck(60_000) // a busy machine is not a hang
        .sequentialSpecification(Counter.class)
        .addGuarantee(atomic("LockScripts", "Events", "LeaseKeeper", "LostHolds", "Compensator"))
        .addGuarantee(
            forClasses(ModelStore.class.getName())
                .methods("execute", "executeAsync", "nanoTime", "info")
                .treatAsAtomic());
  }

  /** No thread switch happens within these classes, which are not under test. */
  private static ManagedStrategyGuarantee atomic(String... classes) {
    String[] names = new String[classes.length];
    for (int i = 0; i < classes.length; i++) {
      names[i] = GateLincheckTest.class.getPackageName() + '.' + classes[i];
    }
    return forClasses(names).allMethods().treatAsAtomic();
  }
}
