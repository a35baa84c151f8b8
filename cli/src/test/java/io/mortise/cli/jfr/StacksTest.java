package io.mortise.cli.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Stacks of events and of dumps, and the names of groups. */
class StacksTest {
  @Test
  void aDumpHasTheStackOfEachThread() {
    String dump =
        """
        Full thread dump OpenJDK 64-Bit Server VM:

        "worker-1" #34 [4711] daemon prio=5 os_prio=0 cpu=1.21ms elapsed=3.40s tid=0x01 nid=4711
           java.lang.Thread.State: TIMED_WAITING (sleeping)
        \tat java.lang.Thread.sleep0(java.base@25.0.1/Native Method)
        \tat shop.Orders.ship(Orders.java:88)
        \t- locked <0x00000000> (a java.lang.Object)

        "VM Thread" os_prio=0 cpu=5.72ms elapsed=3.5s tid=0x02 nid=8 runnable
        """;
    assertEquals(
        Map.of(
            new Stacks.Dumped("worker-1", 34),
            List.of("java.lang.Thread.sleep0:-1", "shop.Orders.ship:88")),
        Stacks.ofDump(dump));
  }

  @Test
  void theFirstFrameOfTheApplicationIsThePlace() {
    List<String> stack =
        List.of(
            "java.lang.Thread.sleep:509",
            "io.mortise.internal.lock.JucLock.lock:64",
            "io.mortise.MultiLock.lock:12",
            "shop.Orders$Batch.ship:88");
    assertEquals("Orders.Batch.ship:88", Stacks.place(stack));
    assertEquals("", Stacks.place(List.of()));
  }

  @Test
  void namesThatDifferInNumbersAloneAreOneGroup() {
    assertEquals("orders:*", Groups.of("orders:42"));
    assertEquals("pool-*-thread-*", Groups.of("pool-1-thread-12"));
    assertEquals("web2:a1", Groups.of("web2:a1"));
  }
}
