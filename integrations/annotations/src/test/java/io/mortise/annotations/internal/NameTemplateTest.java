package io.mortise.annotations.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** An object names a lock by a text of its own. */
class NameTemplateTest {
  private static final NameTemplate ORDERS =
      new BraceParser("pay(Object)", 1, List.of("id")).read("orders:{id}");

  /** Its class has the method, and no text. */
  static class Forwarding {
    @Override
    public String toString() {
      return super.toString();
    }
  }

  /** As an entity whose hash needs what is not loaded. */
  static class Unhashable {
    @Override
    public int hashCode() {
      throw new IllegalStateException("not loaded");
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public String toString() {
      return "7";
    }
  }

  record Key(String shop, long number) {}

  private static String name(Object id) {
    return ORDERS.one(new Object[] {id});
  }

  @Test
  void aTextOfItsOwn() {
    assertEquals("orders:42", name(42L));
    assertEquals("orders:a@1", name("a@1"));
    assertEquals("orders:Key[shop=a, number=1]", name(new Key("a", 1)));
    assertEquals("orders:7", name(new Unhashable()));
  }

  @Test
  void theTextThatEveryObjectHasIsRefused() {
    for (Object bad : List.of(new Object(), new Forwarding(), (Runnable) () -> {})) {
      var refused = assertThrows(IllegalArgumentException.class, () -> name(bad));
      assertTrue(String.valueOf(refused.getMessage()).contains("differs from object to object"));
    }
  }
}
