package io.mortise.engine;

import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The scripts of the locks as calls, with the arguments that do not change filled in. */
final class LockScripts {
  private static final String READ_WRITE = read("queue") + read("rw");
  private static final String EXCLUSIVE = read("queue") + read("exclusive");
  private static final String SHARED = EXCLUSIVE + read("redisson");
  private static final Kinds ACQUIRES = Kinds.of("acquire");
  private static final Kinds LEAVES = Kinds.of("leave");
  private static final Kinds FORCES = Kinds.of("force");
  private static final Script RW_INSPECT = Script.of("rw-inspect", read("rw-inspect"));
  private static final Script RENEW = Script.of("renew", read("renew"));
  private static final Script INSPECT = Script.of("inspect", read("inspect"));
  private static final Script CONDITION = Script.of("condition", read("queue") + read("condition"));
  private static final Script CHECK = Script.of("check", read("check"));

  private static final Script IDENTIFY = Script.of("identify", read("identify"));

  private final Settings settings;
  private final String alive;
  private final String window;
  private final String tombstone;
  private final String mail;
  private final String counts;
  private final String tokens;

  LockScripts(Settings settings, boolean publishCounts) {
    this.settings = settings;
    alive = Long.toString(settings.times().alive().toMillis());
    window = Long.toString(settings.times().grantWindow().toMillis());
    tombstone = Long.toString(settings.tombstone().toMillis());
    mail = mailPrefix(settings.keyPrefix());
    counts = publishCounts ? "1" : "0";
    tokens = Integer.toString(settings.handOffLimit() + 1);
  }

  static String mailPrefix(String keyPrefix) {
    return keyPrefix + "mail:";
  }

  /**
   * @param join whether it waits
   * @param beside of a read/write lock: the id of what the thread holds in the other mode, or ''
   */
  ScriptCall acquire(Acquisition acquisition, LeasePolicy lease, boolean join, String beside) {
    LockKeys keys = acquisition.keys();
    String mode = join ? "join" : keys.isFair() ? "fair" : "try";
    return call(
        keys,
        ACQUIRES,
        List.of(
            acquisition.id(),
            lease.millis(),
            mode,
            alive,
            window,
            acquisition.ticket(),
            mail,
            counts,
            keys.isReadWrite() ? beside : tokens));
  }

  /**
   * @param outcomeUnknown whether the id's acquire was never answered and might still arrive
   */
  ScriptCall leave(LockKeys keys, String id, boolean outcomeUnknown) {
    return call(keys, LEAVES, List.of(id, outcomeUnknown ? tombstone : "0", window, mail, counts));
  }

  ScriptCall force(LockKeys keys) {
    return call(keys, FORCES, List.of(keys.idSuffix(), window, mail, counts));
  }

  ScriptCall renew(List<Acquisition> held, LeasePolicy lease) {
    List<String> keys = new ArrayList<>(held.size());
    List<String> args = new ArrayList<>(held.size() + 1);
    args.add(lease.millis());
    for (Acquisition acquisition : held) {
      keys.add(acquisition.keys().lock());
      args.add(acquisition.id());
    }
    return call(RENEW, keys, args);
  }

  ScriptCall inspect(LockKeys keys) {
    Script script = keys.kind() == LockKeys.Kind.READ ? RW_INSPECT : INSPECT;
    return call(script, List.of(keys.lock()), List.of());
  }

  /** As {@link #inspect}, and the reply names a holder and counts the waiters. */
  ScriptCall inspectHolder(LockKeys keys) {
    Script script = keys.kind() == LockKeys.Kind.READ ? RW_INSPECT : INSPECT;
    return call(script, List.of(keys.lock(), keys.queue()), List.of());
  }

  ScriptCall condition(List<String> keys, String id, String step) {
    return call(CONDITION, keys, List.of(id, step, alive, mail, counts));
  }

  ScriptCall identify() {
    return call(IDENTIFY, List.of(), List.of());
  }

  ScriptCall check(LockKeys unused, List<String> channels) {
    return call(CHECK, unused.all().subList(0, 2), channels);
  }

  /** What does the same for different kinds of lock. */
  private record Kinds(Script exclusive, Script readWrite, Script shared) {
    static Kinds of(String name) {
      String text = read(name);
      return new Kinds(
          Script.of(name, EXCLUSIVE + text),
          Script.of("rw-" + name, READ_WRITE + read("rw-" + name)),
          Script.of(name, SHARED + text));
    }
  }

  private ScriptCall call(LockKeys keys, Kinds scripts, List<String> args) {
    if (keys.isRedisson()) {
      List<String> more = new ArrayList<>(args);
      more.add(keys.redissonChannel());
      return call(scripts.shared(), keys.all(), more);
    }
    Script script = keys.isReadWrite() ? scripts.readWrite() : scripts.exclusive();
    return call(script, keys.all(), args);
  }

  private ScriptCall call(Script script, List<String> keys, List<String> args) {
    return new ScriptCall(script, keys, args, settings.commandTimeout());
  }

  static String read(String name) {
    try (InputStream in = LockScripts.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("script " + name + ".lua is missing from this jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
