package io.mortise.internal.told;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callbacks whose thread cannot be started for a while. */
@Tag("L20")
class CallbacksTest {
  private final AtomicInteger failures = new AtomicInteger();
  private final BlockingQueue<Integer> ran = new LinkedBlockingQueue<>();

  private Callbacks callbacks(boolean given) {
    Executor broken =
        task -> {
          throw new LinkageError("on purpose");
        };
    return new Callbacks(given ? broken : null, this::newThread);
  }

  private Thread newThread(Runnable task) {
    if (failures.getAndDecrement() > 0) {
      throw new LinkageError("on purpose: no thread can be started");
    }
    return new Thread(task);
  }

  private @Nullable Integer next() throws InterruptedException {
    return ran.poll(15, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTaskRunsWhenThereIsAThreadAgain(boolean given) throws InterruptedException {
    Callbacks callbacks = callbacks(given);
    failures.set(3); // the timer tries it more than once
    callbacks.execute(() -> ran.add(1));

    assertEquals(1, next());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tasksKeepTheirOrder(boolean given) throws InterruptedException {
    Callbacks callbacks = callbacks(given);
    failures.set(2);
    for (int i = 1; i <= 3; i++) {
      int number = i;
      callbacks.execute(() -> ran.add(number));
    }

    assertEquals(List.of(1, 2, 3), List.of(next(), next(), next()));
  }
}
