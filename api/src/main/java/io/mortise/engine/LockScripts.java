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
  private static final String READ_WRITE = read("queue") + read("rw") + read("line");
  private static final String SEMAPHORE = read("queue") + read("sem") + read("line");
  private static final String LATCH = read("queue") + read("latch") + read("line");
  private static final String EXCLUSIVE = read("queue") + read("exclusive");
  private static final Script ACQUIRE = Script.of("acquire", EXCLUSIVE + read("acquire"));
  private static final Script LEAVE = Script.of("leave", EXCLUSIVE + read("leave"));
  private static final Script FORCE = Script.of("force", EXCLUSIVE + read("force"));
  private static final Script RW_ACQUIRE = Script.of("rw-acquire", READ_WRITE + read("rw-acquire"));
  private static final Script RW_LEAVE = Script.of("rw-leave", READ_WRITE + read("rw-leave"));
  private static final Script RW_FORCE = Script.of("rw-force", READ_WRITE + read("rw-force"));
  private static final Script RW_INSPECT = Script.of("rw-inspect", read("rw-inspect"));
  private static final Script SEM_ACQUIRE =
      Script.of("sem-acquire", SEMAPHORE + read("sem-acquire"));
  private static final Script SEM_LEAVE = Script.of("sem-leave", SEMAPHORE + read("sem-leave"));
  private static final Script SEM_PERMITS =
      Script.of("sem-permits", SEMAPHORE + read("sem-permits"));
  private static final Script LATCH_ACQUIRE =
      Script.of("latch-acquire", LATCH + read("latch-acquire"));
  private static final Script LATCH_LEAVE = Script.of("latch-leave", LATCH + read("latch-leave"));
  private static final Script LATCH_COUNT = Script.of("latch-count", LATCH + read("latch-count"));
  private static final Script RENEW = Script.of("renew", read("renew"));
  private static final Script INSPECT = Script.of("inspect", read("inspect"));
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
        acquire(keys.kind()),
        keys.all(),
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

  private static Script acquire(LockKeys.Kind kind) {
    return switch (kind) {
      case PLAIN, FAIR, FENCED -> ACQUIRE;
      case READ, WRITE -> RW_ACQUIRE;
      case SEMAPHORE -> SEM_ACQUIRE;
      case LATCH -> LATCH_ACQUIRE;
    };
  }

  private static Script leave(LockKeys.Kind kind) {
    return switch (kind) {
      case PLAIN, FAIR, FENCED -> LEAVE;
      case READ, WRITE -> RW_LEAVE;
      case SEMAPHORE -> SEM_LEAVE;
      case LATCH -> LATCH_LEAVE;
    };
  }

  /**
   * @param outcomeUnknown whether the id's acquire was never answered and might still arrive
   */
  ScriptCall leave(LockKeys keys, String id, boolean outcomeUnknown) {
    return call(
        leave(keys.kind()),
        keys.all(),
        List.of(id, outcomeUnknown ? tombstone : "0", window, mail, counts));
  }

  ScriptCall force(LockKeys keys) {
    return call(
        keys.isReadWrite() ? RW_FORCE : FORCE,
        keys.all(),
        List.of(keys.idSuffix(), window, mail, counts));
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

  /**
   * @param mode once, resize or look
   */
  ScriptCall permits(LockKeys keys, String mode, int permits) {
    return call(
        SEM_PERMITS,
        keys.all(),
        List.of("", mode, Integer.toString(permits), window, mail, counts));
  }

  /**
   * @param id of this step; '' to look
   * @param mode set, down or look
   */
  ScriptCall count(LockKeys keys, String id, String mode, long count) {
    return call(
        LATCH_COUNT,
        keys.all(),
        List.of(id, mode, Long.toString(count), tombstone, window, mail, counts));
  }

  ScriptCall identify() {
    return call(IDENTIFY, List.of(), List.of());
  }

  ScriptCall check(LockKeys unused, String channel) {
    return call(CHECK, unused.all().subList(0, 2), List.of(channel));
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
