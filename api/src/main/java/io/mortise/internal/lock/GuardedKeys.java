package io.mortise.internal.lock;

import io.mortise.FencedLock;
import io.mortise.ForeignKeyException;
import io.mortise.internal.engine.Failures;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.Names;
import io.mortise.internal.wire.ScriptFiles;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes keys of one store under fencing tokens. Thread-safe. */
public final class GuardedKeys {
  private static final Script GUARD = Script.of("guard", ScriptFiles.read("guard"));
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final LockBackend backend;
  private final String prefix;
  private final List<String> counter;

  /** The tag of the lock's counter, or null. */
  private final @Nullable String tag;

  /** Whether every key must have the tag of the lock's counter. */
  private final boolean needsTag;

  /** For tokens of a lock of any service with the default key prefix. */
  public GuardedKeys(LockBackend backend) {
    this(backend, ServiceOptions.KEY_PREFIX);
  }

  /** For tokens of a lock of any service with this key prefix. */
  public GuardedKeys(LockBackend backend, String prefix) {
    LockKeys.checkPrefix(prefix);
    this.backend = backend;
    this.prefix = prefix;
    counter = List.of();
    tag = null;
    needsTag = false;
  }

  /** For tokens of this lock. Its counter is compared if it is known to be in the same store. */
  public GuardedKeys(LockBackend backend, FencedLock lock) {
    if (!(lock instanceof FencedLockHandle own)) {
      throw new IllegalArgumentException(
          "%s is a %s; give it a fenced lock that comes from a LockService"
              .formatted(lock, lock.getClass().getName()));
    }
    this.backend = backend;
    prefix = own.engine().store().options().keyPrefix();
    boolean one = MemberHandle.areOne(backend, own.engine().store().backend());
    counter = one ? List.of(own.keys().counter()) : List.of();
    tag = Names.tag(own.keys().counter());
    needsTag = one && !backend.info().anyKeys();
  }

  /** Writes the key. If its token is refused, nothing is written. */
  public void set(String key, String value, long token) {
    Tokens.check(this, key, token);
    checkTag(key);
    String beside = beside(key);
    List<String> keys = Stream.concat(Stream.of(key, beside), counter.stream()).toList();
    List<String> args = List.of(Long.toString(token), value);
    List<Object> reply = run(key, new ScriptCall(GUARD, keys, args, TIMEOUT), token);
    switch ((String) reply.get(0)) {
      case "WRITTEN" -> {}
      case "STALE" -> throw Tokens.stale(this, key, token, (Long) reply.get(1));
      case "UNISSUED" ->
          throw new IllegalArgumentException(
              "%s, key '%s': token %d was never issued, the last of its lock is %d; pass what fencingToken() or lockAndGetToken() returned"
                  .formatted(this, key, token, (Long) reply.get(1)));
      case "FOREIGN" -> throw foreign(key, beside, (String) reply.get(1));
      default -> throw new IllegalStateException("guard script answered " + reply);
    }
  }

  /** In a cluster, one command can use the key and the lock's counter only if they share a slot. */
  private void checkTag(String key) {
    if (needsTag && !Names.tag(Names.slot("key", key)).equals(tag)) {
      throw otherSlot(key, null);
    }
  }

  private IllegalArgumentException otherSlot(String key, @Nullable BackendException cause) {
    return new IllegalArgumentException(
        "guarded key '%s' has the hash tag %s and the lock's is %s; in a cluster put %s into the key, or make the guard without the lock"
            .formatted(key, Names.tag(Names.slot("key", key)), tag, tag),
        cause);
  }

  /** The key of the largest token. It differs between <code>{foo}</code> and <code>foo</code>. */
  private String beside(String key) {
    String slot = Names.slot("key", key);
    return prefix + (Names.isTagAlone(key) ? "guard-tag:" : "guard:") + slot;
  }

  private List<Object> run(String key, ScriptCall call, long token) {
    try {
      return backend.execute(call);
    } catch (BackendException e) {
      if (e.code().equals("CROSSSLOT")) { // a cluster behind one address
        throw otherSlot(key, e);
      }
      throw Failures.of(e, "key '%s' was written with token %d".formatted(key, token), endpoint());
    }
  }

  private static ForeignKeyException foreign(String key, String beside, String found) {
    return new ForeignKeyException(
        "guarded key '%s': it or '%s' beside it is a %s, not a string of this guard; nothing was written, use another key or remove that one (docs/troubleshooting.md#foreign-key)"
            .formatted(key, beside, found),
        null);
  }

  private String endpoint() {
    return backend.info().endpoint();
  }

  @Override
  public String toString() {
    return "guard of keys at " + endpoint();
  }
}
