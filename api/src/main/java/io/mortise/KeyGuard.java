package io.mortise;

import io.mortise.internal.lock.GuardedKeys;
import io.mortise.internal.lock.GuardedKeys.Refusal;
import io.mortise.spi.LockBackend;
import java.util.Objects;

/**
 * Writes keys of a store, and refuses writes from holders whose lock is somebody else's by now. The
 * store may be that of the lock or any other.
 *
 * <pre>{@code
 * KeyGuard guard = KeyGuard.of(JedisBackend.of(jedis));
 * long token = lock.lockAndGetToken();
 * try {
 *   guard.set("stock:42", "17", token);
 * } finally {
 *   lock.unlock();
 * }
 * }</pre>
 *
 * <p>A key is a plain string, read by any client. The largest token that has written it is kept
 * beside it, in {@code mortise:guard:{key}}, without expiry: it must outlive every holder that may
 * still be paused, so delete the two together. All writers of a key must pass the guard, with
 * tokens of one lock.
 *
 * <p>If the service of the lock has another key prefix than {@code mortise:}, so has the guard:
 * take {@link #of(LockBackend, FencedLock)}, or give the prefix to {@link #of(LockBackend,
 * String)}. Guards with different prefixes do not know of each other's writes.
 *
 * <p>Thread-safe; keeps nothing but the backend, which stays the caller's. A write is one command
 * and may take 2 s.
 */
public final class KeyGuard {
  private final GuardedKeys keys;

  private KeyGuard(GuardedKeys keys) {
    this.keys = keys;
  }

  /**
   * A guard of the keys of a store, for tokens of services with the default key prefix. It cannot
   * know which tokens a lock has issued.
   *
   * @param backend of the store where the keys are
   * @return a guard that has not looked at the store
   */
  public static KeyGuard of(LockBackend backend) {
    return new KeyGuard(new GuardedKeys(Objects.requireNonNull(backend, "backend")));
  }

  /**
   * The same for tokens of services with another key prefix.
   *
   * @param backend of the store where the keys are
   * @param keyPrefix of the services whose locks issue the tokens
   * @return a guard that has not looked at the store
   * @throws IllegalArgumentException no service can have that prefix
   */
  public static KeyGuard of(LockBackend backend, String keyPrefix) {
    return new KeyGuard(
        new GuardedKeys(
            Objects.requireNonNull(backend, "backend"),
            Objects.requireNonNull(keyPrefix, "keyPrefix")));
  }

  /**
   * A guard with the key prefix of the lock's service. It also refuses tokens larger than any the
   * lock has issued, where it can see that: the lock is in the same store, and was used in the last
   * seven days.
   *
   * @param backend of the store where the keys are
   * @param lock whose tokens come with the writes
   * @return a guard that has not looked at the store
   */
  public static KeyGuard of(LockBackend backend, FencedLock lock) {
    return new KeyGuard(
        new GuardedKeys(
            Objects.requireNonNull(backend, "backend"), Objects.requireNonNull(lock, "lock")));
  }

  /**
   * Writes a key, unless a later holder has written it. It may be repeated with the same token.
   *
   * @param key 1 to 512 bytes of UTF-8; braces only as one <code>{tag}</code>
   * @param value what to write
   * @param token of the hold under which the caller writes
   * @throws StaleTokenException a later holder has written; the key is as it was
   * @throws IllegalArgumentException the token was never issued, or the key is no key
   * @throws ForeignKeyException the key, or the one beside it, is not a string of this guard
   * @throws BackendUnavailableException certainly not written
   * @throws OutcomeUnknownException no reply came; write again with the same token
   */
  public void set(String key, String value, long token) {
    Objects.requireNonNull(value, "value");
    Tokens.check(this, Objects.requireNonNull(key, "key"), token);
    Refusal refusal = keys.set(key, value, token);
    if (refusal == null) {
      return;
    }
    throw switch (refusal.code()) {
      case STALE -> Tokens.stale(this, key, token, refusal.seen());
      case UNISSUED ->
          new IllegalArgumentException(
              "%s, key '%s': token %d was never issued, the last of its lock is %d; pass what fencingToken() or lockAndGetToken() returned"
                  .formatted(this, key, token, refusal.seen()));
    };
  }

  @Override
  public String toString() {
    return "guard of keys at " + keys.endpoint();
  }
}
