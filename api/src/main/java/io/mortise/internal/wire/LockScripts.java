package io.mortise.internal.wire;

import io.mortise.internal.wire.LockKind.Family;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes calls of the scripts of all kinds of lock, and fills in the arguments that do not change.
 */
public final class LockScripts {
  /** The facts of an acquisition that a script needs. */
  public interface Subject {
    /** The keys of its lock. */
    LockKeys keys();

    /** The acquisition id. */
    String id();

    /** The ticket of its place in the queue, or an empty text. */
    String ticket();

    /** Whether a command of it got no answer and may still arrive. */
    boolean mayArriveLate();
  }

  private static final Map<Family, Script> ACQUIRE =
      scripts("acquire", EnumSet.allOf(Family.class));
  private static final Map<Family, Script> LEAVE = scripts("leave", EnumSet.allOf(Family.class));
  private static final Map<Family, Script> FORCE =
      scripts("force", EnumSet.complementOf(EnumSet.of(Family.LATCH)));
  private static final Script SEM_PERMITS = script(Family.SEMAPHORE, "permits");
  private static final Script LATCH_COUNT = script(Family.LATCH, "count");
  private static final Script RW_INSPECT = Script.of("rw-inspect", read("rw-inspect"));
  private static final Script RENEW = Script.of("renew", read("renew"));
  private static final Script INSPECT = Script.of("inspect", read("inspect"));
  private static final Script CONDITION = script("condition", read("queue"));
  private static final Script CHECK = Script.of("check", read("check"));

  private static final Script IDENTIFY = Script.of("identify", read("identify"));

  /**
   * The line that the shared files replace. It is behind the short cut, which needs none of them.
   */
  private static final String SHARED = "--#shared\n";

  private final ServiceOptions settings;
  private final String times;
  private final String join;
  private final String tryOnce;
  private final String fair;
  private final String none;
  private final String granting;
  private final String tombstone;
  private final String tokens;

  public LockScripts(ServiceOptions settings, boolean publishCounts) {
    this.settings = settings;
    times = // joined, because a format would write the digits of the locale
        " "
            + settings.times().alive().toMillis()
            + ' '
            + settings.times().grantWindow().toMillis()
            + (publishCounts ? " 1 " : " 0 ")
            + mailPrefix(settings.keyPrefix());
    join = terms("join");
    tryOnce = terms("try");
    fair = terms("fair");
    none = terms("-");
    granting = terms(Long.toString(settings.leaseTime().toMillis()));
    tombstone = Long.toString(settings.tombstone().toMillis());
    tokens = Integer.toString(settings.handOffLimit() + 1);
  }

  /** The argument that is the same in every call of this service, after the word of one script. */
  private String terms(String word) {
    return word + times;
  }

  public static String mailPrefix(String keyPrefix) {
    return keyPrefix + "mail:";
  }

  /**
   * Takes the lock if it is free, or joins its queue.
   *
   * @param join whether the id joins the queue if the lock is held
   * @param beside for a read/write lock: the id of the thread's hold of the other side, or ''
   */
  public ScriptCall acquire(Subject subject, LeaseTerms lease, boolean join, String beside) {
    LockKeys keys = subject.keys();
    String id = subject.id();
    String terms = join ? this.join : keys.isFair() ? fair : tryOnce;
    String ticket = subject.ticket();
    String last = keys.isReadWrite() ? beside : keys.kind().hasTokens() ? tokens : "";
    if (ticket.isEmpty() && last.isEmpty() && !keys.isRedisson()) {
      return call(keys, ACQUIRE, List.of(id, terms, lease.millis()));
    }
    return call(keys, ACQUIRE, List.of(id, terms, lease.millis(), ticket, last));
  }

  /**
   * Leaves the queue, and gives back what was granted to the id.
   *
   * @param outcomeUnknown whether the id's acquire command got no answer and may still arrive
   */
  public ScriptCall leave(LockKeys keys, String id, boolean outcomeUnknown) {
    return leave(keys, id, none, outcomeUnknown);
  }

  /** As {@link #leave}, with a timeout of its own. */
  public ScriptCall leave(Subject givenUp, Duration timeout) {
    ScriptCall call = leave(givenUp.keys(), givenUp.id(), givenUp.mayArriveLate());
    return new ScriptCall(call.script(), call.keys(), call.args(), timeout);
  }

  /**
   * As {@link #leave}. The reply may grant the lock to acquisitions of this service, and lists
   * them.
   */
  public ScriptCall release(Subject ended) {
    LockKeys keys = ended.keys();
    return leave(
        keys,
        ended.id(),
        keys.kind().mayBeGrantedInReply() ? granting : none,
        ended.mayArriveLate());
  }

  private ScriptCall leave(LockKeys keys, String id, String terms, boolean outcomeUnknown) {
    if (!outcomeUnknown && !keys.isRedisson()) {
      return call(keys, LEAVE, List.of(id, terms));
    }
    return call(keys, LEAVE, List.of(id, terms, outcomeUnknown ? tombstone : "0"));
  }

  public ScriptCall force(LockKeys keys) {
    return call(keys, FORCE, List.of(AcquisitionId.suffix(keys), none, tombstone));
  }

  public ScriptCall renew(List<? extends Subject> held, LeaseTerms lease) {
    return renew(held, lease, settings.commandTimeout());
  }

  public ScriptCall renew(List<? extends Subject> held, LeaseTerms lease, Duration timeout) {
    List<String> keys = new ArrayList<>(held.size());
    List<String> args = new ArrayList<>(held.size() + 1);
    args.add(lease.millis());
    for (Subject each : held) {
      keys.add(each.keys().lock());
      args.add(each.id());
    }
    return new ScriptCall(RENEW, keys, args, timeout);
  }

  public ScriptCall inspect(LockKeys keys) {
    Script script = keys.kind() == LockKind.READ ? RW_INSPECT : INSPECT;
    return call(script, List.of(keys.lock()), List.of());
  }

  /** As {@link #inspect}. The reply also has a holder and the number of waiters. */
  public ScriptCall inspectHolder(LockKeys keys) {
    Script script = keys.kind() == LockKind.READ ? RW_INSPECT : INSPECT;
    return call(script, List.of(keys.lock(), keys.queue()), List.of());
  }

  public ScriptCall condition(List<String> keys, String id, String step) {
    return call(CONDITION, keys, List.of(id, terms(step), tombstone));
  }

  /**
   * Reads or sets the number of permits of a semaphore.
   *
   * @param mode {@code once}, {@code resize} or {@code look}
   */
  public ScriptCall permits(LockKeys keys, String mode, int permits) {
    return call(SEM_PERMITS, keys.all(), List.of("", terms(mode), Integer.toString(permits)));
  }

  /**
   * Reads, sets or counts down a latch.
   *
   * @param id the id of this step; '' to look
   * @param mode {@code set}, {@code down} or {@code look}
   */
  public ScriptCall count(LockKeys keys, String id, String mode, long count) {
    return call(LATCH_COUNT, keys.all(), List.of(id, terms(mode), Long.toString(count), tombstone));
  }

  public ScriptCall identify() {
    return call(IDENTIFY, List.of(), List.of());
  }

  public ScriptCall check(LockKeys unused, List<String> channels) {
    return call(CHECK, unused.all().subList(0, 2), channels);
  }

  private static Map<Family, Script> scripts(String step, Set<Family> families) {
    Map<Family, Script> scripts = new EnumMap<>(Family.class);
    families.forEach(family -> scripts.put(family, script(family, step)));
    return scripts;
  }

  private ScriptCall call(LockKeys keys, Map<Family, Script> scripts, List<String> args) {
    Script script = Objects.requireNonNull(scripts.get(keys.kind().family()));
    if (!keys.isRedisson()) {
      return call(script, keys.all(), args);
    }
    List<String> more = new ArrayList<>(args);
    more.add(keys.redissonChannel());
    return call(script, keys.all(), more);
  }

  private ScriptCall call(Script script, List<String> keys, List<String> args) {
    return new ScriptCall(script, keys, args, settings.commandTimeout());
  }

  private static Script script(Family family, String step) {
    String shared = Stream.of(family.parts()).map(LockScripts::read).collect(Collectors.joining());
    return script(family.prefix() + step, shared);
  }

  private static Script script(String name, String shared) {
    return Script.of(name, read(name).replace(SHARED, shared));
  }

  public static String read(String name) {
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
