package io.mortise.engine;

import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The scripts of the exclusive lock as calls, with the arguments that do not change filled in. */
final class LockScripts {
  private static final String EXCLUSIVE = read("queue") + read("exclusive");
  private static final Script ACQUIRE = Script.of("acquire", EXCLUSIVE + read("acquire"));
  private static final Script LEAVE = Script.of("leave", EXCLUSIVE + read("leave"));
  private static final Script FORCE = Script.of("force", EXCLUSIVE + read("force"));
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

  ScriptCall acquire(Acquisition acquisition, LeasePolicy lease, boolean join) {
    String mode = join ? "join" : acquisition.keys().isFair() ? "fair" : "try";
    return call(
        ACQUIRE,
        acquisition.keys().all(),
        List.of(
            acquisition.id(),
            lease.millis(),
            mode,
            alive,
            window,
            acquisition.ticket(),
            mail,
            counts,
            tokens));
  }

  /**
   * @param outcomeUnknown whether the id's acquire was never answered and might still arrive
   */
  ScriptCall leave(LockKeys keys, String id, boolean outcomeUnknown) {
    return call(
        LEAVE, keys.all(), List.of(id, outcomeUnknown ? tombstone : "0", window, mail, counts));
  }

  ScriptCall force(LockKeys keys) {
    return call(FORCE, keys.all(), List.of("", window, mail, counts));
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
    return call(INSPECT, List.of(keys.lock()), List.of());
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
