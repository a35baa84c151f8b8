package io.mortise.internal.wire;

import io.mortise.spi.BackendInfo;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A lock of each kind by one name, and the services {@code a} and {@code b} that send its scripts.
 * Both hear their mailboxes. The cost of a script is that of the last call.
 */
final class ScriptStage {
  /** A server that runs scripts and counts the commands inside them. */
  interface Server {
    List<Object> run(ScriptCall call);

    /** The commands inside the scripts since the last call of this, by upper-case name. */
    Map<String, Long> takeCounts();

    /** Lets some time pass, so that an expiry is not what it was. */
    void passTime();
  }

  /** What a script needs to know of an acquisition. */
  record Asked(LockKeys keys, String id, String ticket, boolean mayArriveLate)
      implements LockScripts.Subject {}

  private static final LeaseTerms LEASE = LeaseTerms.renewed(Duration.ofSeconds(30));
  private static final String PREFIX = ServiceOptions.KEY_PREFIX;

  static final String MAIL = LockScripts.mailPrefix(PREFIX);

  private final Server server;
  private final String name;
  private final LockScripts scripts = scripts(false);
  private final LockScripts shared = scripts(true);
  private final Map<String, String> tickets = new HashMap<>();
  private Map<String, Long> cost = Map.of();
  private List<Object> reply = List.of();
  private ScriptCall last;
  private boolean peeks;

  ScriptStage(Server server, String name) {
    this.server = server;
    this.name = name;
    last = scripts.inspect(plain());
  }

  private static LockScripts scripts(boolean interop) {
    Duration second = Duration.ofSeconds(2);
    Duration lease = Duration.ofSeconds(30);
    ServiceOptions options =
        new ServiceOptions(
            lease,
            null,
            second,
            PREFIX,
            64,
            Duration.ZERO,
            false,
            false,
            interop,
            null,
            QueueTimes.standard(second));
    return new LockScripts(options, new BackendInfo("here", "7.0.0", true, true), true);
  }

  LockKeys plain() {
    return LockKeys.of(PREFIX, name);
  }

  LockKeys fair() {
    return plain().as(LockKind.FAIR);
  }

  LockKeys fenced() {
    return plain().fenced(PREFIX);
  }

  LockKeys redisson() {
    return LockKeys.redisson(PREFIX, name);
  }

  LockKeys write() {
    return LockKeys.readWrite(PREFIX, name);
  }

  LockKeys read() {
    return write().as(LockKind.READ);
  }

  LockKeys semaphore() {
    return LockKeys.semaphore(PREFIX, name);
  }

  LockKeys latch() {
    return LockKeys.latch(PREFIX, name);
  }

  /** The call whose cost counts. */
  ScriptCall last() {
    return last;
  }

  Map<String, Long> cost() {
    return cost;
  }

  List<Object> reply() {
    return reply;
  }

  /** The call that the step would send. */
  ScriptCall peek(Consumer<ScriptStage> step) {
    peeks = true;
    step.accept(this);
    peeks = false;
    return last;
  }

  /** Sends a call. */
  ScriptStage run(ScriptCall call) {
    if (peeks) {
      last = call;
      return this;
    }
    Map<String, Long> unused = server.takeCounts();
    last = call;
    reply = server.run(call);
    cost = new TreeMap<>(server.takeCounts());
    if (reply.get(0).equals("WAIT")) {
      tickets.put(call.args().get(0), String.valueOf(reply.get(2)));
    }
    return this;
  }

  ScriptStage later() {
    server.passTime();
    return this;
  }

  private Asked asked(LockKeys keys, String id) {
    return new Asked(keys, id, tickets.getOrDefault(id, ""), false);
  }

  private LockScripts of(LockKeys keys) {
    return keys.isRedisson() ? shared : scripts;
  }

  ScriptStage acquire(LockKeys keys, String id) {
    return run(of(keys).acquire(asked(keys, id), LEASE, true, ""));
  }

  ScriptStage attempt(LockKeys keys, String id) {
    return run(of(keys).acquire(asked(keys, id), LEASE, false, ""));
  }

  /** Acquires one side within the other. */
  ScriptStage acquireBeside(LockKeys keys, String id, String beside, boolean join) {
    return run(of(keys).acquire(asked(keys, id), LEASE, join, beside));
  }

  ScriptStage release(LockKeys keys, String id) {
    return run(of(keys).release(asked(keys, id)));
  }

  /** The keys of many plain locks, in one hash slot. */
  List<LockKeys> many(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> LockKeys.of(PREFIX, "{%s}-%d".formatted(name, i)))
        .toList();
  }

  /** Acquires many locks by one call, all with this id. */
  ScriptStage acquireAll(int count, String id) {
    return run(
        Together.of(
            many(count).stream()
                .map(keys -> scripts.acquire(asked(keys, id), LEASE, false, ""))
                .toList()));
  }

  ScriptStage leaveAll(int count, String id) {
    return run(
        Together.of(many(count).stream().map(keys -> scripts.release(asked(keys, id))).toList()));
  }

  ScriptStage withdraw(LockKeys keys, String id) {
    return run(of(keys).leave(keys, id, true));
  }

  ScriptStage linger(LockKeys keys, String id) {
    return run(of(keys).linger(asked(keys, id), Duration.ofSeconds(1).toNanos()));
  }

  ScriptStage force(LockKeys keys) {
    return run(of(keys).force(keys, ""));
  }

  ScriptStage renew(List<LockKeys> keys, String... ids) {
    List<Asked> held = new ArrayList<>();
    for (int i = 0; i < ids.length; i++) {
      held.add(asked(keys.get(i), ids[i]));
    }
    return run(scripts.renew(held, LEASE));
  }

  ScriptStage permits(String mode, int permits) {
    return run(scripts.permits(semaphore(), mode, permits));
  }

  ScriptStage giveBack(String id, int sum) {
    return run(scripts.giveBack(asked(semaphore(), id), sum, true));
  }

  ScriptStage count(String id, String mode, long count) {
    return run(scripts.count(latch(), id, mode, count));
  }

  ScriptStage condition(String id, String step) {
    return run(scripts.condition(plain().condition(PREFIX, "full"), id, step));
  }

  LockScripts scripts() {
    return scripts;
  }

  /** Removes a key, as its expiry does. */
  ScriptStage expire(String key) {
    List<Object> unused = other("return {redis.call('DEL', KEYS[1])}", List.of(key));
    return this;
  }

  /** Runs a script of the test. */
  List<Object> other(String lua, List<String> keys) {
    Script script = Script.of("other", lua);
    return server.run(new ScriptCall(script, keys, List.of(), Duration.ofSeconds(2)));
  }
}
