package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The refusal of a thread that must not wait. */
class LoopTimeTest {
  @Test
  void theThreadIsShownOnOneLine() throws InterruptedException {
    DefaultEventExecutorGroup group =
        new DefaultEventExecutorGroup(1, task -> new Thread(task, "loop\n42"));
    LoopTime time = new LoopTime();
    time.add(group);
    try {
      Throwable refused = group.submit(time::checkMayPark).await().cause();
      String message = assertInstanceOf(IllegalStateException.class, refused).getMessage();
      assertTrue(
          String.valueOf(message).startsWith("the thread loop\\u000a42 must not wait"), message);
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    }
  }
}
