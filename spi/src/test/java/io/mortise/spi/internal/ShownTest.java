package io.mortise.spi.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Names in messages. */
class ShownTest {
  @Test
  void whatEndsALineOrSteersATerminalIsEscaped() {
    assertEquals(
        "a\\u000ab\\u001b[31m\\u0085\\u2028\\u2029", Shown.of("a\nb\u001b[31m\u0085\u2028\u2029"));
  }

  @Test
  void otherTextStaysAsItIs() {
    for (String name : new String[] {"", "order 42: {é}", "\\u000a $1", "\ud83d\ude80", "\ud83d"}) {
      assertEquals(name, Shown.of(name));
    }
  }

  @Test
  void aThreadIsShownByItsName() {
    assertEquals("a\\u000ab", Shown.of(new Thread(() -> {}, "a\nb")));
    assertEquals(Thread.currentThread().getName(), Shown.thisThread());
  }
}
