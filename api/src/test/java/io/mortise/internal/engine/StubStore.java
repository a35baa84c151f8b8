package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A store that does not answer by itself. The test answers every command. */
final class StubStore implements LockBackend {
  private final StubTime time;
  private final Queue<AskedCommand> asked = new ConcurrentLinkedQueue<>();

  StubStore(StubTime time) {
    this.time = time;
  }

  /**
   * The next command of this script. Commands of other threads may come before it. {@link
   * #assertNothingAsked} finds those that a test does not take.
   */
  AskedCommand next(String script) {
    StubTime.until(
        () -> "the engine sends " + script + "; it sent " + asked,
        () -> asked.stream().anyMatch(each -> each.script().equals(script)));
    for (AskedCommand each : asked) {
      if (each.script().equals(script)) {
        asked.remove(each);
        return each;
      }
    }
    throw new AssertionError("only the test takes commands");
  }

  void assertNothingAsked() {
    assertEquals(List.of(), List.copyOf(asked));
  }

  /** Exactly these scripts were sent, in this order. */
  void assertAsked(List<String> scripts) {
    assertEquals(scripts, asked.stream().map(AskedCommand::script).toList());
  }

  private AskedCommand ask(ScriptCall call) {
    AskedCommand question = new AskedCommand(call);
    asked.add(question);
    return question;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    return ask(call).await();
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return ask(call).reply();
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return () -> {};
  }

  @Override
  public BackendInfo info() {
    return new BackendInfo("stub", "7.0.0", true, true);
  }

  @Override
  public TimeSource time() {
    return time;
  }

  @Override
  public void close() {}
}
