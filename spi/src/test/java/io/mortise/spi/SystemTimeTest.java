package io.mortise.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The timers of the JVM. */
@Tag("B20")
class SystemTimeTest {
  @Test
  void aTaskThatWasRefusedNeverRuns() throws Exception {
    TimeSource time = TimeSource.system();
    Field field = time.getClass().getDeclaredField("timers");
    field.setAccessible(true);
    ScheduledThreadPoolExecutor timers = (ScheduledThreadPoolExecutor) field.get(time);
    assertEquals(0, timers.getPoolSize(), "no other test of this module has timers");
    ThreadFactory sound = timers.getThreadFactory();
    timers.setThreadFactory(task -> {
      throw new LinkageError("unable to create native thread");
    });
    List<String> ran = new CopyOnWriteArrayList<>();
    assertThrows(LinkageError.class, () -> time.schedule(() -> ran.add("first"), Duration.ZERO));
    timers.setThreadFactory(sound);
    CountDownLatch second = new CountDownLatch(1);

    time.schedule(
        () -> {
          ran.add("second");
          second.countDown();
        },
        Duration.ofMillis(1));

    assertTrue(second.await(20, TimeUnit.SECONDS));
    assertEquals(List.of("second"), ran);
  }
}
