package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommandBatcherTest {
  private static final Script SCRIPT = Script.of("some", "return 1");
  private static final List<Object> REPLY = List.of("done");

  private final Batches store = new Batches();
  private final CommandBatcher batcher = new CommandBatcher(store);

  /** Keeps each batch until the test answers it. */
  private static final class Batches implements LockBackend {
    private final List<List<CompletableFuture<List<Object>>>> out = new ArrayList<>();
    private final List<ScriptCall> calls = new ArrayList<>();
    private @Nullable Throwable refusal;
    private boolean forgetsOne;

    @Override
    public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> batch) {
      if (refusal instanceof Error error) {
        throw error;
      }
      if (refusal instanceof RuntimeException exception) {
        throw exception;
      }
      List<CompletableFuture<List<Object>>> replies =
          batch.stream().map(call -> new CompletableFuture<List<Object>>()).toList();
      calls.addAll(batch);
      out.add(replies);
      return forgetsOne ? replies.subList(1, replies.size()) : replies;
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return executeAll(List.of(call)).get(0);
    }

    int answer() {
      List<CompletableFuture<List<Object>>> first = out.remove(0);
      first.forEach(reply -> reply.complete(REPLY));
      return first.size();
    }

    List<Integer> sizes() {
      return out.stream().map(List::size).toList();
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      throw new UnsupportedOperationException();
    }

    @Override
    public BackendInfo info() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  private static ScriptCall call(int number) {
    return new ScriptCall(
        SCRIPT, List.of(), List.of(Integer.toString(number)), Duration.ofSeconds(1));
  }

  private List<CompletableFuture<List<Object>>> send(int count) {
    return IntStream.range(0, count).mapToObj(number -> batcher.send(call(number))).toList();
  }

  @Test
  void aBurstIsAFewBatchesAndKeepsItsOrder() {
    List<CompletableFuture<List<Object>>> all = send(1_000);
    assertEquals(List.of(1, 1, 1, 1, 1, 1, 1, 1), store.sizes(), "no further batches are sent");

    List<Integer> answered = new ArrayList<>();
    while (!store.out.isEmpty()) {
      answered.add(store.answer());
      assertTrue(store.out.size() <= 8);
    }

    assertEquals(List.of(1, 1, 1, 1, 1, 1, 1, 1, 200, 200, 200, 200, 192), answered);
    assertEquals(
        IntStream.range(0, 1_000).mapToObj(CommandBatcherTest::call).toList(), store.calls);
    all.forEach(reply -> assertEquals(REPLY, reply.join()));
  }

  @Test
  void whatFailsMakesRoomToo() {
    List<CompletableFuture<List<Object>>> all = send(9);
    store.out.get(0).get(0).completeExceptionally(failure());
    assertEquals(9, store.calls.size());
    assertThrows(CompletionException.class, all.get(0)::join);

    store.refusal = failure();
    store.answer();
    List<CompletableFuture<List<Object>>> refused = send(20);
    while (!store.out.isEmpty()) {
      store.answer();
    }
    refused.forEach(reply -> assertThrows(CompletionException.class, reply::join));
    store.refusal = null;
    send(8);
    assertEquals(8, store.out.size());
  }

  @Test
  void aCommandThatCannotBeMadeSpoilsNoOtherAndNoRoom() {
    List<String> asked = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      batcher.send(List.of(broken("broken " + i, asked), command("good " + i, asked, call(i))));
      assertEquals(1, store.answer());
      assertEquals(
          List.of(
              "broken " + i, "broken " + i + " answered", "good " + i, "good " + i + " answered"),
          asked);
      asked.clear();
    }
  }

  private static CommandBatcher.Command broken(String name, List<String> asked) {
    CommandBatcher.Command command = command(name, asked, null);
    return new CommandBatcher.Command() {
      @Override
      public ScriptCall makeCall() {
        ScriptCall unused = command.makeCall();
        throw new NullPointerException("the test's");
      }

      @Override
      public void answered(@Nullable List<Object> reply, @Nullable Throwable failure) {
        assertInstanceOf(NullPointerException.class, failure);
        command.answered(reply, failure);
      }
    };
  }

  @Test
  void aBackendThatBreaksItsContractLeavesRoomToo() {
    for (Throwable each : List.of(new StackOverflowError("the test's"), failure())) {
      store.refusal = each;
      send(20).forEach(reply -> assertThrows(CompletionException.class, reply::join));
    }
    store.refusal = null;
    store.forgetsOne = true;
    List<String> asked = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      batcher.send(List.of(command("a", asked, call(i)), command("b", asked, call(i))));
    }
    assertEquals(80, asked.size(), "all are made, and get a result");
    store.forgetsOne = false;
    store.out.clear();
    send(8);
    assertEquals(8, store.out.size());
  }

  private static BackendException failure() {
    return new BackendException(Outcome.UNKNOWN, "lost", null);
  }

  @Test
  void aCommandThatWaitsIsSentOnceAndAWithdrawnOneIsNot() {
    List<String> asked = new ArrayList<>();
    CommandBatcher.Command command = command("wanted", asked, call(100));
    CommandBatcher.Command withdrawn = command("withdrawn", asked, null);
    send(8);
    batcher.send(List.of(command, withdrawn));
    batcher.send(List.of(command));
    assertEquals(List.of(), asked, "a command is made when it is sent");

    store.answer();

    assertEquals(List.of("wanted", "withdrawn"), asked);
    assertEquals(9, store.calls.size());
    batcher.send(List.of(withdrawn, withdrawn));
    while (!store.out.isEmpty()) {
      store.answer();
    }
    assertEquals(List.of("wanted", "withdrawn", "withdrawn", "wanted answered"), asked);
    send(8);
    assertEquals(8, store.out.size(), "an empty batch makes room as well");
  }

  private static CommandBatcher.Command command(
      String name, List<String> asked, @Nullable ScriptCall call) {
    return new CommandBatcher.Command() {
      @Override
      public @Nullable ScriptCall makeCall() {
        asked.add(name);
        return call;
      }

      @Override
      public void answered(@Nullable List<Object> reply, @Nullable Throwable failure) {
        asked.add(name + " answered");
      }
    };
  }
}
