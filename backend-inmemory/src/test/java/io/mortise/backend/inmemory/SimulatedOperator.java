package io.mortise.backend.inmemory;

import io.mortise.LockService;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An operator who forces locks open and deletes keys. In the same script it records the affected
 * acquisitions in the store, because they may not know yet that they hold nothing.
 */
final class SimulatedOperator extends ForwardingBackend {
  private static final String NOTES = "simulation:disturbed";
  private static final String NOTE =
      """
      for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do
        redis.call('HSET', 'simulation:disturbed', id, 1)
      end
      """;
  private static final Script DELETE =
      Script.of("delete", NOTE + "return {redis.call('DEL', KEYS[1])}");
  private static final Script DELETE_QUEUE =
      Script.of("delete-queue", "return {redis.call('DEL', KEYS[1])}");
  private static final Script NOTED =
      Script.of("noted", "return {redis.call('HEXISTS', KEYS[1], ARGV[1])}");

  /** For that long, a process may hand off a hold before it hears of the forced unlock. */
  private static final Duration HEARS_OF_IT = Duration.ofSeconds(3);

  private final InMemoryStore store;
  private final LockBackend client;
  private final LockService service;
  private final Map<String, Long> forced = new ConcurrentHashMap<>();

  SimulatedOperator(InMemoryStore store) {
    this.store = store;
    client = store.backend();
    service = LockService.builder().sharedBackend(this).open();
  }

  @Override
  protected LockBackend target() {
    return client;
  }

  static String key(String kind, String name) {
    return "mortise:" + kind + ":{" + name + '}';
  }

  boolean forceOpen(String name) {
    return service.getLock(name).forceUnlock();
  }

  void setPermits() {
    service.getSemaphore(SimulatedKinds.SEMAPHORE).trySetPermits(SimulatedKinds.PERMITS);
  }

  int freePermits() {
    return service.getSemaphore(SimulatedKinds.SEMAPHORE).availablePermits();
  }

  /** Ends all holds of one of the other kinds. */
  String forceAnotherKind(int kind) {
    List<String> names =
        List.of(
            SimulatedKinds.READ_WRITE,
            SimulatedKinds.SEMAPHORE,
            SimulatedKinds.FENCED,
            SimulatedKinds.ONE,
            SimulatedKinds.LEASED);
    String name = names.get(kind);
    forced.put(name, store.time().nanoTime());
    boolean any =
        switch (kind) {
          case 0 -> {
            boolean read = service.getReadWriteLock(name).readLock().forceUnlock();
            boolean written = service.getReadWriteLock(name).writeLock().forceUnlock();
            yield read || written;
          }
          case 1 -> service.getSemaphore(name).forceRelease();
          default -> service.getLock(name).forceUnlock();
        };
    return name + ' ' + any;
  }

  /** Whether an operator forced the lock open since then, or shortly before. */
  boolean hasForced(String name, long since) {
    Long last = forced.get(name);
    return last != null && last - since + HEARS_OF_IT.toNanos() >= 0;
  }

  List<Object> deleteLock(String name) {
    return run(DELETE, key("lock", name));
  }

  List<Object> deleteCompanion(String kind, String name) {
    return run(DELETE_QUEUE, key(kind, name));
  }

  boolean hasDisturbed(@Nullable String id) {
    return id != null && run(NOTED, NOTES, id).equals(List.<Object>of(1L));
  }

  private List<Object> run(Script script, String key, String... args) {
    return client.execute(
        new ScriptCall(script, List.of(key), List.of(args), Duration.ofSeconds(1)));
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    Script script = call.script();
    if (!script.name().equals("force")) {
      return client.execute(call);
    }
    Script noting = Script.of("force", NOTE + script.source());
    return client.execute(new ScriptCall(noting, call.keys(), call.args(), call.timeout()));
  }

  @Override
  public void close() {
    service.close();
    List<Object> unused = new ArrayList<>(run(DELETE_QUEUE, NOTES));
    client.close();
  }
}
