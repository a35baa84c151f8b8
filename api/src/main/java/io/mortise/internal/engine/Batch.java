package io.mortise.internal.engine;

import io.mortise.internal.wire.Together;
import io.mortise.spi.BackendException;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one thread asks for several locks of a service, by one command: to acquire all of them or
 * none, or to release them. Used by that thread alone.
 */
public final class Batch {
  /** How many locks one command is for at most. More would make other clients wait. */
  public static final int MOST = 200;

  private final Store store;
  private final List<ScriptCall> calls = new ArrayList<>();

  /** Calls that fit no other. */
  private final List<ScriptCall> others = new ArrayList<>();

  /** Answers to calls that were sent by themselves. */
  private final Map<ScriptCall, Supplier<List<Object>>> alone =
      Collections.synchronizedMap(new IdentityHashMap<>());

  private @Nullable Supplier<List<Object>> common;

  /** The common answer. Set before {@link #common} has it, on the thread that delivers it. */
  private List<Object> reply = List.of();

  /** Makes one without calls, for locks of the service with that store. */
  public Batch(Store store) {
    this.store = store;
  }

  /**
   * Adds the call of one lock, as a {@link Store.Sender}. One that fits no other is sent by itself,
   * at the same time.
   */
  public Supplier<List<Object>> add(ScriptCall call) {
    (Together.fits(call) ? calls : others).add(call);
    return () -> answer(call);
  }

  /** How many calls it has that fit each other. */
  public int size() {
    return calls.size();
  }

  /**
   * Sends what was added, and does not wait for the reply. If this is not called, all attempts are
   * refused, and nothing is sent.
   */
  public void send() {
    sendAlone(others);
    if (!calls.isEmpty()) {
      sendTogether();
    }
  }

  private void sendTogether() {
    try {
      common = store.send(calls.size() > 1 ? Together.of(calls) : calls.get(0), this::replied);
    } catch (RuntimeException | Error e) { // each call ends by it
      common =
          () -> {
            throw e;
          };
    }
  }

  /**
   * Sends all locks by themselves that the common call has left. It does not wait for the thread
   * that wants the answers, which may wait for another server meanwhile.
   */
  private void replied(@Nullable List<Object> value, @Nullable Throwable failure) {
    if (value != null) {
      reply = value;
      sendAlone(Together.rest(value, calls));
    } else if (store.refusedForSlots(failure)) { // nothing has run
      sendAlone(calls.stream().filter(Together::releases).toList());
    }
  }

  private void sendAlone(List<ScriptCall> some) {
    List<Supplier<List<Object>>> answers = some.isEmpty() ? List.of() : store.sendAll(some);
    for (int i = 0; i < answers.size(); i++) {
      alone.put(some.get(i), answers.get(i));
    }
  }

  /**
   * The number of the first lock that was not free, from 0 on, after all attempts were finished. It
   * is {@link #size} if all were free, or if nothing is known.
   */
  public int refused() {
    return Together.refused(reply, calls.size());
  }

  private List<Object> answer(ScriptCall call) {
    Supplier<List<Object>> sent = common;
    Supplier<List<Object>> ofAll = () -> Together.notAsked(call);
    if (sent != null && !alone.containsKey(call)) {
      try {
        List<Object> answered = sent.get();
        ofAll = () -> Together.ofOne(answered);
      } catch (BackendException e) {
        ofAll =
            () -> {
              throw e;
            };
      }
    }
    return alone.getOrDefault(call, ofAll).get();
  }
}
