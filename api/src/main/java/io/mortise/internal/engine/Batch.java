package io.mortise.internal.engine;

import io.mortise.internal.wire.Together;
import io.mortise.spi.BackendException;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
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

  private List<Supplier<List<Object>>> toOthers = List.of();
  private @Nullable Supplier<List<Object>> answer;

  // Set before the common call is answered, on the thread that delivers the reply

  private List<Object> reply = List.of();
  private final Map<ScriptCall, Supplier<List<Object>>> toRest = new IdentityHashMap<>();

  /** Makes one without calls, for locks of the service with that store. */
  public Batch(Store store) {
    this.store = store;
  }

  /**
   * Adds the call of one lock, as a {@link Store.Sender}. One that fits no other is sent by itself,
   * at the same time.
   */
  public Supplier<List<Object>> add(ScriptCall call) {
    if (Together.fits(call)) {
      calls.add(call);
      return () -> answer(call);
    }
    int number = others.size();
    others.add(call);
    return () -> toOthers.isEmpty() ? Together.notAsked(call) : toOthers.get(number).get();
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
    if (!others.isEmpty()) {
      toOthers = store.sendAll(others);
    }
    if (!calls.isEmpty()) {
      sendTogether();
    }
  }

  private void sendTogether() {
    try {
      answer = store.send(calls.size() > 1 ? Together.of(calls) : calls.get(0), this::replied);
    } catch (RuntimeException | Error e) { // each call ends by it
      answer =
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
      sendRest(Together.rest(value, calls));
    } else if (store.refusedForSlots(failure)) { // nothing has run
      sendRest(calls.stream().filter(Together::releases).toList());
    }
  }

  private void sendRest(List<ScriptCall> rest) {
    List<Supplier<List<Object>>> answers = rest.isEmpty() ? List.of() : store.sendAll(rest);
    for (int i = 0; i < answers.size(); i++) {
      toRest.put(rest.get(i), answers.get(i));
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
    Supplier<List<Object>> sent = answer;
    if (sent == null) {
      return Together.notAsked(call);
    }
    List<Object> common = List.of();
    BackendException failure = null;
    try {
      common = sent.get();
    } catch (BackendException e) {
      failure = e;
    }
    Supplier<List<Object>> own = toRest.get(call);
    if (own != null) {
      return own.get();
    }
    if (failure != null) {
      throw failure;
    }
    return Together.ofOne(common);
  }
}
