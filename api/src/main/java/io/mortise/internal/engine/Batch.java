package io.mortise.internal.engine;

import io.mortise.internal.wire.Together;
import io.mortise.spi.BackendException;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
import java.util.List;
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
  private @Nullable Supplier<List<Object>> answer;
  private List<Object> reply = List.of();

  /** Makes one without calls, for locks of the service with that store. */
  public Batch(Store store) {
    this.store = store;
  }

  /**
   * Adds the call of one lock, as a {@link Store.Sender}. One that fits no other is sent by itself.
   */
  public Supplier<List<Object>> add(ScriptCall call) {
    if (!Together.fits(call)) {
      return store.ask(call);
    }
    int number = calls.size();
    calls.add(call);
    return () -> answer(number);
  }

  /** How many calls it has. */
  public int size() {
    return calls.size();
  }

  /**
   * Sends what was added, and does not wait for the reply. A single call is sent when its reply is
   * wanted. If this is not called, all attempts are refused, and nothing is sent.
   */
  public void send() {
    try {
      answer = calls.size() > 1 ? store.send(Together.of(calls)) : this::single;
    } catch (RuntimeException | Error e) { // each call ends by it
      answer =
          () -> {
            throw e;
          };
    }
  }

  private List<Object> single() {
    return store.backend().execute(calls.get(0));
  }

  /**
   * The number of the first lock that was not free, from 0 on, after all attempts were finished. It
   * is {@link #size} if all were free, or if nothing is known.
   */
  public int refused() {
    return Together.refused(reply, calls.size());
  }

  private List<Object> answer(int number) {
    Supplier<List<Object>> sent = answer;
    ScriptCall call = calls.get(number);
    try {
      reply = sent == null ? Together.notAsked(call) : sent.get();
    } catch (BackendException e) {
      if (store.refusedForSlots(e) && Together.releases(call)) {
        return store.backend().execute(call); // nothing has run
      }
      throw e;
    }
    return Together.leaves(reply, number) ? store.backend().execute(call) : Together.ofOne(reply);
  }
}
