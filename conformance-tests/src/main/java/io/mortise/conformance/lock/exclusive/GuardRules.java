package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.FencedLock;
import io.mortise.ForeignKeyException;
import io.mortise.KeyGuard;
import io.mortise.LeaseLostException;
import io.mortise.OutcomeUnknownException;
import io.mortise.StaleTokenException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Topology;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A guarded key: a thread that has lost the lock cannot write it. */
public abstract class GuardRules extends LockRules {
  private static final String GET = "return {redis.call('GET', KEYS[1])}";

  protected GuardRules(LockKit kit) {
    super(kit);
  }

  private FencedLock fenced() {
    return service().getFencedLock(name);
  }

  private List<Object> value() {
    return runOn(name, GET);
  }

  private List<Object> seen() {
    return runOn("mortise:guard:{" + name + "}", GET);
  }

  /** The example: a holder pauses beyond its lease, and wakes after another thread has written. */
  @Test
  @Rule({"L1", "L13"})
  void aPausedHolderThatWakesIsRefusedAndTheNewHoldersWriteStands() {
    KeyGuard guard = KeyGuard.of(backend());
    FencedLock paused = fenced();
    long old = paused.withLease(Duration.ofMillis(200)).lockAndGetToken();
    guard.set(name, "before the pause", old);
    passTime(Duration.ofMillis(300));
    FencedLock next = fenced();
    long token = next.lockAndGetToken();
    guard.set(name, "the new holder's", token);

    StaleTokenException e =
        assertThrows(StaleTokenException.class, () -> guard.set(name, "after the pause", old));

    assertEquals(List.<Object>of("the new holder's"), value());
    assertEquals(old, e.token());
    assertEquals(token, e.seen());
    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains(guard + ", key '" + name + "': token " + old), message);
    assertTrue(message.contains("older than " + token), message);
    guard.set(name, "it writes on", token);
    assertThrows(LeaseLostException.class, paused::unlock);
    next.unlock();
  }

  /** The same without the guard. It shows what the test above prevents. */
  @Test
  @Rule("L13")
  void withoutTheGuardThePausedHoldersWriteIsTheLast() {
    FencedLock paused = fenced();
    long unused = paused.withLease(Duration.ofMillis(200)).lockAndGetToken();
    passTime(Duration.ofMillis(300));
    FencedLock next = fenced();
    next.lock();
    runOn(name, "return {redis.call('SET', KEYS[1], 'new') and 1}");
    runOn(name, "return {redis.call('SET', KEYS[1], 'old') and 1}");
    assertEquals(List.<Object>of("old"), value());
    next.unlock();
    assertThrows(LeaseLostException.class, paused::unlock);
  }

  @Test
  @Rule({"L13", "L14"})
  void aWriteWithoutAReplyMayBeRepeated() {
    FaultyBackend link = new FaultyBackend(this::backend);
    KeyGuard guard = KeyGuard.of(closing(link));
    long token = token();
    link.set(Link.REPLY_LOST, 1);
    OutcomeUnknownException e =
        assertThrows(OutcomeUnknownException.class, () -> guard.set(name, "once", token));
    assertTrue(String.valueOf(e.getMessage()).contains("key '" + name + "'"), e.getMessage());
    assertEquals(List.<Object>of("once"), value());

    guard.set(name, "once", token);

    assertEquals(List.<Object>of(Long.toString(token)), seen());
    link.set(Link.DOWN);
    assertThrows(BackendUnavailableException.class, () -> guard.set(name, "twice", token));
    link.set(Link.UP);
    assertEquals(List.<Object>of("once"), value());
  }

  private long token() {
    FencedLock lock = fenced();
    long token = lock.lockAndGetToken();
    lock.unlock();
    return token;
  }

  @Test
  @Rule("L13")
  void aTokenThatWasNeverIssuedIsRefusedAndLeavesNothing() {
    FencedLock lock = fenced();
    KeyGuard strict = KeyGuard.of(backend(), lock);
    strict.set(name, "nobody has ever locked: nothing is known", 5);
    long token = token();
    strict.set(name, "first", token);
    for (long bad : new long[] {0, -1, Long.MIN_VALUE, (1L << 53) + 1, token + 1_000_000}) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> strict.set(name, "bad", bad));
      String message = String.valueOf(e.getMessage());
      assertTrue(message.contains("'" + name + "': token " + bad + " was never"), message);
    }
    assertEquals(List.<Object>of("first"), value());

    KeyGuard anywhere = KeyGuard.of(backend());
    for (long bad : new long[] {0, (1L << 53) + 1, Long.MAX_VALUE}) {
      assertThrows(IllegalArgumentException.class, () -> anywhere.set(name, "bad", bad));
    }
    anywhere.set(name, "its lock may be in another store", token + 1_000_000);
    assertThrows(StaleTokenException.class, () -> strict.set(name, "late", token));
  }

  /** The other store has an old counter of that name, and may be a cluster. */
  @Test
  @Rule({"L13", "L18"})
  void aGuardInAnotherStoreComparesNoCounterOfThatStore() {
    long old = token();
    passTime(Duration.ofMillis(2));
    FencedLock elsewhere =
        service(new Elsewhere(backend()), builder -> builder).getFencedLock(name);
    long token = old + 60_000_000;

    KeyGuard.of(backend(), elsewhere).set(name, "valid", token);

    assertEquals(List.<Object>of("valid"), value());
    KeyGuard any = KeyGuard.of(backend(), elsewhere);
    any.set("other:" + name, "whatever its tag", token);
    if (backend().info().topology() != Topology.CLUSTER) {
      KeyGuard unnamed = KeyGuard.of(new Elsewhere(backend()), elsewhere);
      unnamed.set(name, "its database is not known", token);
    }
    assertThrows(StaleTokenException.class, () -> any.set(name, "late", old));
  }

  /** The same client may be asked of by a service and a guard, whatever it says of its store. */
  @Test
  @Rule("L13")
  void aGuardWithTheBackendOfTheLockComparesItsCounter() {
    LockBackend unnamed = new Elsewhere(backend());
    FencedLock lock = service(unnamed, builder -> builder).getFencedLock(name);
    long token = lock.lockAndGetToken();
    KeyGuard guard = KeyGuard.of(unnamed, lock);
    assertThrows(
        IllegalArgumentException.class, () -> guard.set(name, "never issued", token + 60_000_000));
    guard.set(name, "issued", token);
    lock.unlock();
  }

  /** A backend of a server that does not say which database it uses. */
  private static final class Elsewhere extends ForwardingBackend {
    private final LockBackend backend;

    Elsewhere(LockBackend backend) {
      this.backend = backend;
    }

    @Override
    protected LockBackend target() {
      return backend;
    }

    @Override
    public BackendInfo info() {
      BackendInfo info = backend.info();
      return new BackendInfo(
          "elsewhere:6379",
          info.serverVersion(),
          info.publishCounts(),
          info.anyKeys(),
          info.topology(),
          info.downAfter());
    }
  }

  @Test
  @Rule("L13")
  void keysThatAreNotOfTheGuardAreNotTouched() {
    KeyGuard guard = KeyGuard.of(backend());
    String hash = "redis.call('DEL', KEYS[1]) return {redis.call('HSET', KEYS[1], 'a', 1)}";
    String beside = "mortise:guard:{" + name + "}";
    for (String key : List.of(name, beside)) {
      runOn(key, hash);
      assertForeign(guard, "hash");
      assertEquals(List.<Object>of(1L), runOn(key, "return {redis.call('DEL', KEYS[1])}"));
    }
    runOn(beside, "return {redis.call('SET', KEYS[1], 'text') and 1}");
    assertForeign(guard, "no token");
    assertEquals(List.<Object>of(0L), runOn(name, "return {redis.call('EXISTS', KEYS[1])}"));
  }

  private void assertForeign(KeyGuard guard, String found) {
    ForeignKeyException e =
        assertThrows(ForeignKeyException.class, () -> guard.set(name, "value", 7));
    assertTrue(String.valueOf(e.getMessage()).contains(found), e.getMessage());
    assertTrue(String.valueOf(e.getMessage()).contains("'" + name + "'"), e.getMessage());
  }

  @Test
  @Rule("L18")
  void aTagKeepsTheKeyAndItsTokenInOneSlot() {
    String tagged = "{" + name + "}:stock";
    KeyGuard.of(backend()).set(tagged, "value", 7);
    assertEquals(List.<Object>of("value"), runOn(tagged, GET));
    assertEquals(List.<Object>of("7"), runOn("mortise:guard:" + tagged, GET));
  }

  @Test
  @Rule({"L13", "L18"})
  void aGuardHasTheKeyPrefixOfTheServiceWhoseTokensItTakes() {
    String prefix = "mine-" + name + ':';
    FencedLock lock = service(builder -> builder.keyPrefix(prefix)).getFencedLock(name);
    long token = lock.lockAndGetToken();

    KeyGuard.of(backend(), lock).set(name, "new", token);

    String beside = prefix + "guard:{" + name + "}";
    assertEquals(List.<Object>of(Long.toString(token)), runOn(beside, GET));
    KeyGuard given = KeyGuard.of(backend(), prefix);
    assertThrows(StaleTokenException.class, () -> given.set(name, "old", token - 1));
    lock.unlock();
    assertThrows(IllegalArgumentException.class, () -> KeyGuard.of(backend(), "mortise:rw:"));
  }

  @Test
  @SuppressWarnings("NullAway") // the test passes null on purpose
  @Rule("L18")
  void badKeysAndLocksAreRefused() {
    KeyGuard guard = KeyGuard.of(backend());
    for (String bad : List.of("", "a{b", "x".repeat(513))) {
      assertThrows(IllegalArgumentException.class, () -> guard.set(bad, "value", 7));
    }
    assertThrows(NullPointerException.class, () -> guard.set(null, "value", 7));
    assertThrows(NullPointerException.class, () -> guard.set(name, null, 7));
    assertThrows(NullPointerException.class, () -> KeyGuard.of(null));
    FencedLock strange =
        (FencedLock)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {FencedLock.class},
                (proxy, method, args) -> "strange");
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> KeyGuard.of(backend(), strange));
    assertTrue(String.valueOf(e.getMessage()).contains("strange"), e.getMessage());
  }
}
