package io.mortise.internal.wire;

import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A store in memory that runs scripts. Its time moves by the stage's steps alone. */
final class StageInMemory implements ScriptStage.Server {
  private final InMemoryStore store;
  private final LockBackend backend;

  StageInMemory(InMemoryStore store, LockBackend backend) {
    this.store = store;
    this.backend = backend;
    for (String client : List.of("a", "b")) {
      Subscription unused = backend.subscribe(ScriptStage.MAIL + client, new Deaf());
    }
  }

  @Override
  public List<Object> run(ScriptCall call) {
    return backend.execute(call);
  }

  @Override
  public Map<String, Long> takeCounts() {
    Map<String, Long> counts = store.commandCounts();
    store.resetCounts();
    return counts;
  }

  @Override
  public void passTime() {
    store.advance(Duration.ofMillis(2));
  }

  /** Reads no message. That it is there is all that a script learns of it. */
  private static final class Deaf implements ChannelListener {
    @Override
    public void onSubscribed() {}

    @Override
    public void onMessage(String message) {}

    @Override
    public void onInterrupted(Throwable cause) {}
  }
}
