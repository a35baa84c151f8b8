package io.mortise.conformance.lock;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A backend whose link to the store can be made to fail, in the ways a link can. */
final class FaultyBackend implements LockBackend {
  /** What happens to a call. */
  enum Link {
    /** It is passed on. */
    UP,
    /** It fails before it is sent. */
    DOWN,
    /** It is sent and lost. */
    REQUEST_LOST,
    /** It is executed, and its reply is lost. */
    REPLY_LOST
  }

  private final Supplier<LockBackend> opens;
  private @Nullable LockBackend opened;
  private final AtomicInteger failing = new AtomicInteger();
  private volatile Link link = Link.UP;

  /** Opens the backend at the first use. */
  FaultyBackend(Supplier<LockBackend> opens) {
    this.opens = opens;
  }

  private synchronized LockBackend backend() {
    LockBackend known = opened;
    if (known == null) {
      known = opens.get();
      opened = known;
    }
    return known;
  }

  void set(Link state) {
    set(state, Integer.MAX_VALUE);
  }

  /** Lets that many calls fail, and those after them pass. */
  void set(Link state, int calls) {
    failing.set(calls);
    link = state;
  }

  private Link next() {
    return link != Link.UP && failing.getAndDecrement() > 0 ? link : Link.UP;
  }

  private static BackendException failure(Link how) {
    Outcome outcome = how == Link.DOWN ? Outcome.NOT_EXECUTED : Outcome.UNKNOWN;
    return new BackendException(outcome, "the test broke the link: " + how, null);
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    Link how = next();
    if (how == Link.REPLY_LOST || how == Link.UP) {
      List<Object> reply = backend().execute(call);
      if (how == Link.UP) {
        return reply;
      }
    }
    throw failure(how);
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    Link how = next();
    if (how == Link.UP) {
      return backend().executeAsync(call);
    }
    if (how != Link.REPLY_LOST) {
      return CompletableFuture.failedFuture(failure(how));
    }
    return backend()
        .executeAsync(call)
        .handle((reply, error) -> {
          throw failure(how);
        });
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return backend().subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return backend().info();
  }

  @Override
  public TimeSource time() {
    return backend().time();
  }

  @Override
  public void close() {
    backend().close();
  }

  @Override
  public String toString() {
    return "FaultyBackend[" + link + ", " + opened + ']';
  }
}
