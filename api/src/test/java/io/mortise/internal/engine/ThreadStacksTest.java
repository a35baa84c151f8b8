package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L9")
class ThreadStacksTest {
  private int looks;
  private final List<Integer> dropped = new ArrayList<>();
  private final ThreadStacks<Integer> stacks =
      new ThreadStacks<>(
          each -> {
            looks++;
            return each >= 0;
          },
          dropped::add);
  private final Thread self = Thread.currentThread();

  /** How many looks that many losses of one thread cost, each of another lock. */
  private int looks(int losses) {
    looks = 0;
    IntStream.range(0, losses).forEach(i -> stacks.push(self, "lock-" + losses + '-' + i, i));
    return looks;
  }

  @Test
  @Tag("L15")
  void aLossCostsTheSameHoweverManyThereAre() {
    for (int losses = 10_000; losses <= 160_000; losses *= 2) {
      assertTrue(looks(losses) <= 2 * losses, looks + " looks for " + losses + " losses");
    }
    assertTrue(stacks.size() <= 2 * ThreadStacks.KEPT + 1, stacks.size() + " are left");
  }

  @Test
  void theNewestOnesAreKept() {
    stacks.push(self, "held", -1);
    looks(5 * ThreadStacks.KEPT);

    for (int i = 4 * ThreadStacks.KEPT + 1; i < 5 * ThreadStacks.KEPT; i++) {
      assertEquals(i, stacks.find("lock-" + 5 * ThreadStacks.KEPT + '-' + i));
    }
    assertEquals(-1, stacks.find("held"), "what is held is never forgotten");
  }

  @Test
  void whatLeavesItsStackIsDroppedOnce() {
    stacks.push(self, "a", 1);
    stacks.push(self, "a", 2);
    stacks.push(self, "b", 3);
    stacks.remove(self, "a", 2);
    stacks.remove(self, "a", 2);
    assertEquals(1, stacks.find("a"));

    stacks.tell("a");
    stacks.forgetTold();
    stacks.forgetTold();

    assertEquals(List.of(2, 1), dropped);
    assertNull(stacks.find("a"));
    assertEquals(3, stacks.find("b"), "the thread was not told of it");
  }

  @Test
  @Tag("L15")
  void threadsThatHaveEndedLeaveLittle() throws InterruptedException {
    for (int i = 0; i < 1000; i++) {
      int number = i;
      Thread thread =
          new Thread(() -> {
            stacks.push(Thread.currentThread(), "lock", number);
            stacks.tell("lock");
          });
      thread.start();
      thread.join();
    }

    assertTrue(stacks.size() <= 65, stacks.size() + " are left");
    stacks.push(self, "mine", 1);
    assertEquals(1, stacks.find("mine"));
  }
}
