package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeysTest {
  @Test
  void aPlainNameIsPutInBraces() {
    assertEquals(
        List.of(
            "mortise:lock:{orders:42}", "mortise:queue:{orders:42}", "mortise:alive:{orders:42}"),
        LockKeys.of("mortise:", "orders:42").all());
  }

  @Test
  void aNameWithATagIsUsedAsItIs() {
    assertEquals("mine:lock:a{tag}b", LockKeys.of("mine:", "a{tag}b").lock());
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders:42", "a{tag}b", "{tag}b", "a{tag}", "with|bar", "ü"})
  void theKeysAreFoundAgainFromTheLockKeyOfAMessage(String name) {
    LockKeys keys = LockKeys.of("mine:", name);

    assertEquals(keys.all(), LockKeys.ofLockKey("mine:", keys.lock()).all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders:42", "a{tag}b", "rw:lock:{x}", "ü"})
  void theKeysOfAReadWriteLockAreItsOwnAndFoundAgain(String name) {
    LockKeys keys = LockKeys.readWrite("mine:", name);

    assertEquals(keys, LockKeys.ofLockKey("mine:", keys.lock()));
    assertEquals("mine:rw:lock:", keys.lock().substring(0, 13));
    assertEquals(keys.all().get(3), keys.as(LockKind.READ).lock());
    assertNotEquals(keys.gate(1), keys.as(LockKind.READ).gate(1));
    assertTrue(Collections.disjoint(keys.all(), LockKeys.of("mine:", name).all()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders:42", "a{tag}b", "{tag}b", "lock:x", "ü"})
  void theLockSharedWithRedissonHasItsNameAsKeyAndIsFoundAgain(String name) {
    LockKeys keys = LockKeys.redisson("mine:", name);

    assertEquals(name, keys.lock());
    assertEquals(keys, LockKeys.ofLockKey("mine:", keys.lock()));
    assertTrue(Collections.disjoint(keys.all(), LockKeys.of("mine:", name).all()));
  }

  @Test
  void itsCompanionsAreInItsHashSlotAndItsChannelIsRedissons() {
    LockKeys plain = LockKeys.redisson("mine:", "orders:42");
    LockKeys tagged = LockKeys.redisson("mine:", "a{tag}b");

    assertEquals(
        List.of("orders:42", "mine:redisson:queue:{orders:42}", "mine:redisson:alive:{orders:42}"),
        plain.all());
    assertEquals("redisson_lock__channel:{orders:42}", plain.redissonChannel());
    assertEquals("mine:redisson:queue:a{tag}b", tagged.all().get(1));
    assertEquals("redisson_lock__channel:a{tag}b", tagged.redissonChannel());
  }

  @Test
  void aTagAloneIsAnotherSharedLockThanTheNameInIt() {
    LockKeys name = LockKeys.redisson("mine:", "foo");
    LockKeys tag = LockKeys.redisson("mine:", "{foo}");

    assertTrue(Collections.disjoint(name.all(), tag.all()));
    assertTrue(Collections.disjoint(name.condition("mine:", "c"), tag.condition("mine:", "c")));
    assertEquals("mine:redisson-tag:queue:{foo}", tag.all().get(1));
    assertEquals(tag, LockKeys.ofLockKey("mine:", tag.lock()));
    assertEquals(LockKeys.of("mine:", "foo").all(), LockKeys.of("mine:", "{foo}").all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a:rw:", "a:redisson:", "a:redisson-tag:", "a:sem:", "a:latch:", "a.rw:"})
  void aPrefixThatLeadsIntoTheKeysOfAnotherIsRefused(String prefix) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> LockKeys.checkPrefix(prefix));

    String said = String.valueOf(refused.getMessage());
    assertTrue(said.contains("with key prefix 'a" + prefix.charAt(1) + "'"), said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw:", "arw:", "a:rw", "a:rw:b:", "a:lock:"})
  void anyOtherPrefixIsServed(String prefix) {
    assertDoesNotThrow(() -> LockKeys.checkPrefix(prefix));
  }

  /** Otherwise two kinds of lock would share keys, of one prefix or of two. */
  @Test
  void whatKeysOfAKindBeginWithIsRefusedAtTheEndOfAPrefix() {
    for (List<String> keys :
        List.of(
            LockKeys.readWrite("a:", "x").all(),
            LockKeys.redisson("a:", "x").all(),
            LockKeys.redisson("a:", "{x}").all(),
            LockKeys.semaphore("a:", "x").all(),
            LockKeys.latch("a:", "x").all())) {
      String queue = keys.get(1);
      String other = queue.substring(0, queue.indexOf("queue:"));
      assertThrows(IllegalArgumentException.class, () -> LockKeys.checkPrefix(other), other);
    }
  }

  @Test
  void aSharedLockMustNotBeNamedAsOneOfOurKeys() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> LockKeys.redisson("mine:", "mine:redisson:queue:{x}"));

    assertTrue(String.valueOf(refused.getMessage()).contains("key prefix 'mine:'"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders:42", "a{tag}b", "sem:permits:{x}", "queue:{x}", "ü"})
  void theKeysOfASemaphoreAndOfALatchAreTheirOwnAndFoundAgain(String name) {
    LockKeys semaphore = LockKeys.semaphore("mine:", name);
    LockKeys latch = LockKeys.latch("mine:", name);

    assertEquals(semaphore, LockKeys.ofLockKey("mine:", semaphore.wanting(3).lock()));
    assertEquals(latch, LockKeys.ofLockKey("mine:", latch.lock()));
    assertTrue(Collections.disjoint(semaphore.all(), latch.all()));
    assertTrue(Collections.disjoint(semaphore.all(), LockKeys.of("mine:", name).all()));
  }
}
