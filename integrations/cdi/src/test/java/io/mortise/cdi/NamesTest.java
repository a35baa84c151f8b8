package io.mortise.cdi;

import static io.mortise.cdi.Containers.isFree;
import static io.mortise.cdi.Containers.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock's name is made of the arguments of a call, or the call throws. */
class NamesTest {
  @Singleton
  static class Shop {
    List<String> expected = List.of();
    int runs;

    private void run() {
      runs++;
      for (String each : expected) {
        LockContext.ensureHeld(each);
        assertFalse(isFree(each), each);
      }
    }

    @WithLock("orders:{id}")
    public void pay(@Nullable Object id) {
      run();
    }

    @WithLock("{1}:{ shop }/{1}")
    public void mixed(String shop, int number) {
      run();
    }

    @WithLock(names = {"account:{from}", "account:{to}"})
    public void transfer(String from, String to) {
      run();
    }

    @WithLock(names = "item:{items}")
    public void order(List<?> items, String note) {
      run();
    }

    @WithLock(names = {"row:{rows}", "table"})
    public void rows(int... rows) {
      run();
    }

    @WithLock(names = "{0}:{1}")
    public void twoLists(List<String> first, List<String> second) {
      run();
    }
  }

  private static SeContainer container;
  private static Shop shop;

  @BeforeAll
  static void start() {
    container = Containers.weld(Shop.class, Containers.Locks.class);
    shop = container.select(Shop.class).get();
  }

  @AfterAll
  static void stop() {
    container.close();
  }

  @AfterEach
  void nothingIsHeld() {
    Containers.assertNothingIsHeld();
  }

  private static void holds(Runnable call, String... names) {
    shop.expected = Arrays.asList(names);
    shop.runs = 0;
    call.run();
    assertEquals(1, shop.runs);
    shop.expected = List.of();
  }

  @Test
  void aNameIsMadeOfParameters() {
    holds(() -> shop.pay(42), "orders:42");
    holds(() -> shop.pay(Optional.of("x")), "orders:x");
    holds(() -> shop.mixed("north", 7), "7:north/7");
  }

  @Test
  void severalNamesAreAllHeld() {
    holds(() -> shop.transfer("a", "b"), "account:a", "account:b");
    holds(() -> shop.transfer("a", "a"), "account:a");
    holds(() -> shop.order(List.of("1", "2"), ""), "item:1", "item:2");
    holds(() -> shop.order(List.of(Optional.of("1")), ""), "item:1");
    holds(() -> shop.rows(2, 3), "row:2", "row:3", "table");
    holds(() -> shop.rows(), "table");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " "})
  void aBlankTextIsRefused(String blank) {
    shop.runs = 0;
    refuses(() -> shop.pay(blank), "{id} in its lock name is blank");
    refuses(() -> shop.transfer("a", blank), "{to} in its lock name is blank");
    refuses(() -> shop.order(List.of("1", blank), ""), "{items} in its lock name is blank");
    assertEquals(0, shop.runs);
  }

  @Test
  void whatHasNoTextIsRefused() {
    shop.runs = 0;
    refuses(() -> shop.pay(null), "{id} in its lock name is null");
    refuses(() -> shop.pay(Optional.empty()), "{id} in its lock name is null");
    refuses(() -> shop.pay(new Object()), "differs from object to object");
    refuses(() -> shop.pay(new int[1]), "into names");
    refuses(() -> shop.order(List.of(Optional.empty()), ""), "{items} in its lock name is null");
    refuses(() -> shop.order(List.of(), ""), "lists of lock names are empty");
    refuses(() -> shop.order(Arrays.asList("1", null), ""), "{items} in its lock name is null");
    refuses(() -> shop.twoLists(List.of("a"), List.of("b")), "{1} is a second list");
    assertEquals(0, shop.runs);
  }

  @Test
  void aListOrAMapAsOneNameIsRefused() {
    shop.runs = 0;
    refuses(() -> shop.pay(List.of(new Object())), "into names");
    refuses(() -> shop.pay(Map.of("x", new Object())), "into names");
    assertEquals(0, shop.runs);
  }

  @Test
  void aListInAListIsRefused() {
    shop.runs = 0;
    refuses(() -> shop.order(List.of(List.of("x")), ""), "a flat list");
    refuses(() -> shop.order(List.of(Map.of("x", "y")), ""), "a flat list");
    assertEquals(0, shop.runs);
  }

  @Test
  void aMessageShowsNamesOnOneLine() {
    Thread thread = Thread.currentThread();
    String before = thread.getName();
    thread.setName("http\nforged");
    try {
      var named =
          assertThrows(IllegalStateException.class, () -> LockContext.ensureHeld("order\n42"));
      var any = assertThrows(IllegalStateException.class, LockContext::ensureHeld);
      String begin = "thread http\\u000aforged does not work under ";
      assertTrue(message(named).startsWith(begin + "lock 'order\\u000a42' here"), message(named));
      assertTrue(message(any).startsWith(begin + "a lock here"), message(any));
    } finally {
      thread.setName(before);
    }
  }

  private static void refuses(Runnable call, String text) {
    var refused = assertThrows(IllegalArgumentException.class, call::run);
    assertTrue(message(refused).contains(text), message(refused));
  }
}
