package io.mortise;

import io.mortise.internal.lock.GuardedKeys;
import io.mortise.spi.LockBackend;
import java.util.Objects;

/**
 * Guards string keys of a store: it refuses a write if a later holder of the lock has already
 * written. The store may be the lock's store or another.
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
 * <p>A key is a plain string that every client can read. The largest token that has written it is
 * in a second key, {@code mortise:guard:{key}}. That key has no expiry, because it must outlive
 * every holder that may still be paused. Delete both together. All writers of a key must use the
 * guard, with tokens of one lock.
 *
 * <p>A guard needs the key prefix of the lock's service. If that is not {@code mortise:}, use
 * {@link #of(LockBackend, FencedLock)}, or give the prefix to {@link #of(LockBackend, String)}.
 * Guards with different prefixes do not see each other's tokens.
 *
 * <p>Thread-safe. A guard keeps only the backend, and the caller closes that. A write is one
 * command and takes at most 2 s.
 */
public final class KeyGuard {
  private final GuardedKeys keys;

  private KeyGuard(GuardedKeys keys) {
    this.keys = keys;
  }

  /**
   * Creates a guard for tokens of services with the default key prefix. It cannot know which tokens
   * a lock has issued. It does not touch the store.
   *
   * @param backend a backend of the store where the keys are
   * @return a guard of the keys of that store
   */
  public static KeyGuard of(LockBackend backend) {
    return new KeyGuard(new GuardedKeys(Objects.requireNonNull(backend, "backend")));
  }

  /**
   * Creates a guard for tokens of services with another key prefix. It does not touch the store.
   *
   * @param backend a backend of the store where the keys are
   * @param keyPrefix the key prefix of the services whose locks issue the tokens
   * @return a guard of the keys of that store
   * @throws IllegalArgumentException it cannot be a key prefix
   */
  public static KeyGuard of(LockBackend backend, String keyPrefix) {
    return new KeyGuard(
        new GuardedKeys(
            Objects.requireNonNull(backend, "backend"),
            Objects.requireNonNull(keyPrefix, "keyPrefix")));
  }

  /**
   * Creates a guard for the tokens of one lock, with the key prefix of the lock's service. It does
   * not touch the store. If the lock is in the same store, it also refuses tokens larger than any
   * that the lock has issued, as long as the lock was used in the last seven days. In a cluster,
   * the keys must then have the hash tag of the lock, as in <code>{stock}:42</code> for the lock
   * <code>stock</code>. The store is the same if the backend is that of the lock's service, or has
   * the same endpoint. The bare address of a server, as a client of the application has it, does
   * not say which database it uses, so it does not count.
   *
   * @param backend a backend of the store where the keys are
   * @param lock the lock that issues the tokens
   * @return a guard of the keys of that store
   */
  public static KeyGuard of(LockBackend backend, FencedLock lock) {
    return new KeyGuard(
        new GuardedKeys(
            Objects.requireNonNull(backend, "backend"), Objects.requireNonNull(lock, "lock")));
  }

  /**
   * Writes a key, unless a later holder has written it. The same token may write again.
   *
   * @param key 1 to 512 bytes of UTF-8; braces only as one <code>{tag}</code>
   * @param value the new value
   * @param token the fencing token of the caller's hold
   * @throws StaleTokenException a later holder has written; the key is unchanged
   * @throws IllegalArgumentException the token was never issued, or the key is not allowed; in a
   *     cluster also if the guard has a lock there, and the key has not the lock's hash tag
   * @throws ForeignKeyException the key is not a string, or its second key is not a token
   * @throws BackendUnavailableException the key was certainly not written
   * @throws OutcomeUnknownException no reply came; write again with the same token
   */
  public void set(String key, String value, long token) {
    Objects.requireNonNull(value, "value");
    keys.set(Objects.requireNonNull(key, "key"), value, token);
  }

  @Override
  public String toString() {
    return keys.toString();
  }
}
