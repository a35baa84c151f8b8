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
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A backend whose link to the store can be made to fail, in the ways a link can: for all calls, for
 * those of one script, for one call at a barrier, and for messages.
 */
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

  /** In place of a script's name: subscribing fails at once. */
  static final String SUBSCRIBE = "subscribe";

  private static final String ALL = "";

  private final Supplier<LockBackend> opens;
  private @Nullable LockBackend opened;
  private final AtomicInteger failing = new AtomicInteger();
  private final AtomicInteger refusals = new AtomicInteger();
  private final Queue<HeldCall> barriers = new ConcurrentLinkedQueue<>();
  private final Map<String, ScriptCall> last = new ConcurrentHashMap<>();
  private volatile String script = ALL;
  private volatile Link link = Link.UP;
  private volatile @Nullable FaultyMail mail;
  private volatile UnaryOperator<ScriptCall> sent = call -> call;

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
    set(ALL, state, calls);
  }

  /** Lets that many calls of one script fail. */
  void set(String ofScript, Link state, int calls) {
    failing.set(calls);
    script = ofScript;
    link = state;
  }

  /** Stops the next call of a script; asked for twice, the next two. */
  HeldCall hold(String ofScript) {
    HeldCall held = new HeldCall(ofScript, this::backend);
    barriers.add(held);
    return held;
  }

  /** Lets that many batches of calls fail as a whole, with an exception no backend should throw. */
  void refuseBatches(int batches) {
    refusals.set(batches);
  }

  /** The messages to the service that subscribed through this link. */
  FaultyMail mail() {
    FaultyMail known = mail;
    if (known == null) {
      throw new AssertionError("nobody has subscribed");
    }
    return known;
  }

  /** The last call of a script. */
  ScriptCall last(String ofScript) {
    ScriptCall known = last.get(ofScript);
    if (known == null) {
      throw new AssertionError("no call of " + ofScript);
    }
    return known;
  }

  /** Sends another call in place of each. */
  void send(UnaryOperator<ScriptCall> instead) {
    sent = instead;
  }

  private @Nullable HeldCall barrier(ScriptCall call) {
    last.put(call.script().name(), call);
    return barriers.stream().filter(each -> each.stops(call)).findFirst().orElse(null);
  }

  private Link next(ScriptCall call) {
    boolean meant = script.equals(ALL) || script.equals(call.script().name());
    return link != Link.UP && meant && failing.getAndDecrement() > 0 ? link : Link.UP;
  }

  private static BackendException failure(Link how) {
    Outcome outcome = how == Link.DOWN ? Outcome.NOT_EXECUTED : Outcome.UNKNOWN;
    return new BackendException(outcome, "the test broke the link: " + how, null);
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    HeldCall held = barrier(call);
    if (held != null) {
      return held.hear();
    }
    Link how = next(call);
    if (how == Link.REPLY_LOST || how == Link.UP) {
      List<Object> reply = backend().execute(sent.apply(call));
      if (how == Link.UP) {
        return reply;
      }
    }
    throw failure(how);
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    HeldCall held = barrier(call);
    if (held != null) {
      return held.heard();
    }
    Link how = next(call);
    if (how == Link.UP) {
      return backend().executeAsync(sent.apply(call));
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
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    if (refusals.getAndDecrement() > 0) {
      throw new IllegalStateException("the test refused a batch");
    }
    return LockBackend.super.executeAll(calls);
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    if (script.equals(SUBSCRIBE) && failing.getAndDecrement() > 0) {
      throw failure(link);
    }
    FaultyMail joining = new FaultyMail(backend(), channel, listener);
    mail = channel.contains(":mail:") ? joining : mail; // or a channel of Redisson's
    joining.join();
    return joining::close;
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
