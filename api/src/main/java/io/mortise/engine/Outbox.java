package io.mortise.engine;

import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands for which no thread waits. Few batches are out at a time, and what comes
 * meanwhile goes with the next: a burst of thousands is some batches, instead of thousands of
 * commands that queue for a connection until their time is over. Thread-safe; does not block.
 */
final class Outbox {
  private static final int MOST_OUT = 8;
  private static final int BATCH = 200;

  /** A command that is made when it goes out. */
  interface Letter {
    /** Null if it is not wanted any more. */
    @Nullable ScriptCall toSend();

    /** Called once after a command was made, with a reply or a failure. */
    void answered(@Nullable List<Object> reply, @Nullable Throwable failure);
  }

  private static final class Sent implements Letter {
    private final ScriptCall call;
    private final CompletableFuture<List<Object>> reply = new CompletableFuture<>();

    Sent(ScriptCall call) {
      this.call = call;
    }

    @Override
    public ScriptCall toSend() {
      return call;
    }

    @Override
    public void answered(@Nullable List<Object> value, @Nullable Throwable failure) {
      if (value != null) {
        reply.complete(value);
      } else {
        reply.completeExceptionally(Failures.cause(failure));
      }
    }
  }

  private final LockBackend backend;
  private final Set<Letter> waiting = new LinkedHashSet<>();
  private int out;

  Outbox(LockBackend backend) {
    this.backend = backend;
  }

  CompletableFuture<List<Object>> send(ScriptCall call) {
    Sent sent = new Sent(call);
    send(List.of(sent));
    return sent.reply;
  }

  /** Those that wait to be sent already are not sent twice. */
  void send(Collection<? extends Letter> letters) {
    synchronized (this) {
      waiting.addAll(letters);
    }
    flush();
  }

  private void flush() {
    for (List<Letter> batch = next(); !batch.isEmpty(); batch = next()) {
      post(batch);
    }
  }

  private synchronized List<Letter> next() {
    List<Letter> batch = new ArrayList<>();
    if (out < MOST_OUT) {
      Iterator<Letter> first = waiting.iterator();
      while (first.hasNext() && batch.size() < BATCH) {
        batch.add(first.next());
        first.remove();
      }
      out += batch.isEmpty() ? 0 : 1;
    }
    return batch;
  }

  private void post(List<Letter> batch) {
    List<Letter> letters = new ArrayList<>();
    List<ScriptCall> calls = new ArrayList<>();
    for (Letter letter : batch) {
      ScriptCall call = letter.toSend();
      if (call != null) {
        letters.add(letter);
        calls.add(call);
      }
    }
    List<CompletableFuture<List<Object>>> replies = send(calls);
    for (int i = 0; i < replies.size(); i++) {
      Engine.whenReplied(replies.get(i), letters.get(i)::answered);
    }
    CompletableFuture<Void> unused = Futures.settled(replies).thenRun(this::answered);
  }

  private List<CompletableFuture<List<Object>>> send(List<ScriptCall> calls) {
    try {
      return switch (calls.size()) {
        case 0 -> List.of();
        case 1 -> List.of(backend.executeAsync(calls.get(0)));
        default -> backend.executeAll(calls);
      };
    } catch (RuntimeException e) {
      return calls.stream().map(call -> CompletableFuture.<List<Object>>failedFuture(e)).toList();
    }
  }

  private void answered() {
    synchronized (this) {
      out--;
    }
    flush();
  }
}
