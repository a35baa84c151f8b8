package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.support.Crew;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;

/** Calls that each increment their own key, and the outcome that the backend reported for each. */
final class Ledger {
  private static final String REPLY = "reply";

  private final Map<String, String> verdicts = new ConcurrentHashMap<>();
  private final AtomicInteger sequence = new AtomicInteger();
  private final LockBackend backend;
  private final String prefix;
  private final Duration timeout;

  Ledger(LockBackend backend, String prefix, Duration timeout) {
    this.backend = backend;
    this.prefix = prefix;
    this.timeout = timeout;
  }

  /** Makes calls in all ways, each on its own thread, and waits for their end. */
  void callAtOnce(int calls) throws InterruptedException {
    Crew.run(calls, this::call);
  }

  /** Makes one call and records its outcome. The call must end in time. */
  void call(int number) {
    Way way = Way.turn(number);
    String key = prefix + sequence.incrementAndGet();
    var call = FaultDuties.within(timeout, Duties.increment(key));
    long start = System.nanoTime();
    try {
      way.call(backend, call);
      verdicts.put(key, REPLY);
    } catch (BackendException e) {
      verdicts.put(key, e.outcome().name());
    }
    FaultDuties.assertInTime(start, call);
  }

  /** The number of calls that have ended. */
  int size() {
    return verdicts.size();
  }

  /** The number of calls with this outcome. */
  long with(Outcome outcome) {
    return verdicts.values().stream().filter(outcome.name()::equals).count();
  }

  long answered() {
    return verdicts.values().stream().filter(REPLY::equals).count();
  }

  /** Compares the reported outcomes with the calls that ran (B1, B2). */
  void assertTruthful(ToLongFunction<String> count) {
    verdicts.forEach((key, verdict) -> {
      long ran = count.applyAsLong(key);
      String what = key + " ended with " + verdict + " and ran " + ran + " times";
      switch (verdict) {
        case REPLY -> assertEquals(1, ran, what);
        case "UNKNOWN" -> assertTrue(ran <= 1, what);
        default -> assertEquals(0, ran, what);
      }
    });
  }

  /** Checks that no call ran, whatever the backend reported. */
  void assertNoneRan(ToLongFunction<String> count) {
    verdicts.keySet().forEach(key -> assertEquals(0, count.applyAsLong(key), key + " ran"));
  }

  @Override
  public String toString() {
    return verdicts.values().toString();
  }
}
