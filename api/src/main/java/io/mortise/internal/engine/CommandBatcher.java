package io.mortise.internal.engine;

import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the commands for which no thread waits. Few batches are out at a time. Commands that come
 * meanwhile go with the next batch. So a burst of thousands of commands needs some batches, where
 * single commands would queue for a connection until they time out. Thread-safe. Only {@link
 * #execute} blocks.
 */
final class CommandBatcher {
  private static final Logger log = LoggerFactory.getLogger(CommandBatcher.class);
  private static final int MOST_OUT = 8;
  private static final int BATCH = 200;

  /** A command that is made when it is sent. */
  interface Command {
    /** The call to send; null if it is not wanted any more. */
    @Nullable ScriptCall makeCall();

    /** Called once, with a reply or a failure, after the command was made or could not be made. */
    void answered(@Nullable List<Object> reply, @Nullable Throwable failure);
  }

  private static final class Sent implements Command {
    private final ScriptCall call;
    private final CompletableFuture<List<Object>> reply = new CompletableFuture<>();

    Sent(ScriptCall call) {
      this.call = call;
    }

    @Override
    public ScriptCall makeCall() {
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
  private final Set<Command> waiting = new LinkedHashSet<>();
  private int out;

  CommandBatcher(LockBackend backend) {
    this.backend = backend;
  }

  CompletableFuture<List<Object>> send(ScriptCall call) {
    Sent sent = new Sent(call);
    send(List.of(sent));
    return sent.reply;
  }

  /** A command that already waits to be sent is not sent twice. */
  void send(Collection<? extends Command> commands) {
    synchronized (this) {
      waiting.addAll(commands);
    }
    flush();
  }

  /** Sends a command at once on the calling thread, which waits for the answer. */
  void execute(Command command) {
    List<Object> reply;
    try {
      ScriptCall call = command.makeCall();
      if (call == null) {
        return;
      }
      reply = backend.execute(call);
    } catch (RuntimeException e) {
      command.answered(null, e);
      return;
    }
    command.answered(reply, null);
  }

  private void flush() {
    Trampoline.step(this::postAll);
  }

  private void postAll() {
    for (List<Command> batch = next(); !batch.isEmpty(); batch = next()) {
      post(batch);
    }
  }

  private synchronized List<Command> next() {
    List<Command> batch = new ArrayList<>();
    if (out < MOST_OUT) {
      Iterator<Command> first = waiting.iterator();
      while (first.hasNext() && batch.size() < BATCH) {
        batch.add(first.next());
        first.remove();
      }
      out += batch.isEmpty() ? 0 : 1;
    }
    return batch;
  }

  private void post(List<Command> batch) {
    List<Command> commands = new ArrayList<>();
    List<ScriptCall> calls = new ArrayList<>();
    for (Command command : batch) {
      ScriptCall call = make(command);
      if (call != null) {
        commands.add(command);
        calls.add(call);
      }
    }
    List<CompletableFuture<List<Object>>> replies = sendNow(calls);
    for (int i = 0; i < replies.size(); i++) {
      Futures.whenReplied(replies.get(i), commands.get(i)::answered);
    }
    CompletableFuture<Void> unused = Futures.settled(replies).thenRun(this::answered);
  }

  /**
   * The call to send; null if there is none. A command that cannot be made does not affect the
   * others.
   */
  private static @Nullable ScriptCall make(Command command) {
    try {
      return command.makeCall();
    } catch (Throwable e) { // an Error too: the other commands of the batch would wait for ever
      log.error("a command could not be made", e);
      Futures.whenReplied(CompletableFuture.failedFuture(e), command::answered);
      return null;
    }
  }

  /** Sends calls at once. Returns as many futures as calls, whatever the backend does. */
  List<CompletableFuture<List<Object>>> sendNow(List<ScriptCall> calls) {
    return switch (calls.size()) {
      case 0 -> List.of();
      case 1 -> guarded(calls, () -> List.of(backend.executeAsync(calls.get(0))));
      default -> sendAll(calls);
    };
  }

  /** The same as one batch, also of a single call. */
  List<CompletableFuture<List<Object>>> sendAll(List<ScriptCall> calls) {
    return guarded(calls, () -> all(calls));
  }

  private static List<CompletableFuture<List<Object>>> guarded(
      List<ScriptCall> calls, Supplier<List<CompletableFuture<List<Object>>>> sending) {
    try {
      return sending.get();
    } catch (Throwable e) { // an Error too: the batch would be out for ever
      return calls.stream().map(call -> CompletableFuture.<List<Object>>failedFuture(e)).toList();
    }
  }

  private List<CompletableFuture<List<Object>>> all(List<ScriptCall> calls) {
    List<CompletableFuture<List<Object>>> replies = List.copyOf(backend.executeAll(calls));
    if (replies.size() != calls.size()) {
      throw new IllegalStateException(
          "the backend gave %d futures for %d calls; executeAll gives one for each"
              .formatted(replies.size(), calls.size()));
    }
    return replies;
  }

  private void answered() {
    synchronized (this) {
      out--;
    }
    flush();
  }
}
