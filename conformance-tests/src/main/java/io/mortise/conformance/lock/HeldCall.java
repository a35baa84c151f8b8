package io.mortise.conformance.lock;

import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that stops on its way to the store. The test says when it arrives and how often, and what
 * its caller hears: the reply, or nothing.
 */
final class HeldCall {
  private final String script;
  private final Supplier<LockBackend> store;
  private final AtomicReference<@Nullable ScriptCall> call = new AtomicReference<>();
  private final CompletableFuture<List<Object>> heard = new CompletableFuture<>();
  private volatile @Nullable List<Object> reply;
  private volatile @Nullable Thread caller;

  HeldCall(String script, Supplier<LockBackend> store) {
    this.script = script;
    this.store = store;
  }

  /** Stops the call if it is the one to stop. */
  boolean stops(ScriptCall coming) {
    return coming.script().name().equals(script) && call.compareAndSet(null, coming);
  }

  /** What the caller will hear. */
  CompletableFuture<List<Object>> heard() {
    return heard;
  }

  /** Waits for what the caller is to hear, as a backend's call does: whatever the interrupts. */
  List<Object> hear() {
    caller = Thread.currentThread();
    try {
      return heard.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof BackendException failure ? failure : e;
    } finally {
      caller = null;
    }
  }

  boolean isSent() {
    return call.get() != null;
  }

  void awaitSent() {
    Await.until("a call of " + script, this::isSent);
  }

  /** The store gets the call, now and each time this is called; the caller hears nothing yet. */
  List<Object> arrive() {
    awaitSent();
    ScriptCall sent = call.get();
    if (sent == null) {
      throw new AssertionError("no call of " + script);
    }
    List<Object> answer = store.get().execute(sent);
    reply = answer;
    return answer;
  }

  /** The caller hears the reply to the last arrival. */
  void reply() {
    List<Object> answer = reply;
    if (answer == null) {
      throw new AssertionError("the call of " + script + " has not arrived");
    }
    heard.complete(answer);
    awaitHeard();
  }

  /** A caller that waits goes on before time does. */
  private void awaitHeard() {
    Await.until("the caller goes on", () -> caller == null);
  }

  /** The call arrives and is answered, as if nothing were wrong. */
  List<Object> pass() {
    List<Object> answer = arrive();
    reply();
    return answer;
  }

  /** The caller hears nothing within its timeout. */
  void lose() {
    awaitSent();
    heard.completeExceptionally(
        new BackendException(Outcome.UNKNOWN, "the test kept the reply to " + script, null));
    awaitHeard();
  }
}
