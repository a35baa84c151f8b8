package io.mortise.backend.support;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares a limited number of blocking connections between callers. A caller that finds a free
 * connection uses it alone. Otherwise callers wait. The first of them to get a connection sends the
 * calls of the callers behind it as well, in one batch, and reads their replies. So with more
 * threads than connections, a call costs fewer system calls, not more. The idea is flat combining
 * (Hendler, Incze, Shavit and Tzafrir, 2010). Thread-safe.
 *
 * @param <C> the type of the calls
 */
public final class Combiner<C extends PendingCall> {
  /*
   * A leader has a connection, or is about to borrow one. There are never more leaders than
   * connections, and there are followers only while there are as many leaders. A leader that is
   * done appoints the first follower. It steps down only if there is none. Each leader leads for
   * one exchange, so no thread works for others without end.
   *
   * A follower is completed once. True means that it leads. False means that its call is no longer
   * its own concern: a leader took the call along, or its time was over.
   */
  private static final int MOST_OTHERS = 100;

  /**
   * A leader takes no call along whose deadline is more than this many milliseconds after its own,
   * because a leader waits for all replies.
   */
  private static final int LATER = 50;

  private final IntSupplier connections;
  private final Consumer<List<C>> exchange;
  private final Queue<Follower<C>> followers = new ArrayDeque<>();
  private int leaders;

  /**
   * Creates a combiner without callers.
   *
   * @param connections the largest number of connections at this moment; negative for no limit
   * @param exchange sends calls and reads their replies, on the thread of one of the callers; does
   *     not throw. It ends every call, or makes sure that each call ends in time
   */
  public Combiner(IntSupplier connections, Consumer<List<C>> exchange) {
    this.connections = connections;
    this.exchange = exchange;
  }

  private static final class Follower<C extends PendingCall> extends CompletableFuture<Boolean> {
    private final C call;

    Follower(C call) {
      this.call = call;
    }

    /** Waits until this follower leads, or until its call is no longer its own concern. */
    boolean leads() {
      call.awaitTurn(this);
      if (complete(false)) {
        call.fail(new TimeoutException());
      }
      return join();
    }
  }

  /**
   * Waits for a connection and uses it for the call. Interrupts do not end the wait.
   *
   * @param call a call that has not ended
   */
  public void run(C call) {
    Follower<C> follower = follow(call);
    if (follower == null) {
      lead(List.of(call), List.of());
    } else if (follower.leads()) {
      List<Follower<C>> others = takeAlong(call.millisLeft() + LATER);
      List<C> batch = new ArrayList<>();
      batch.add(call);
      others.forEach(other -> batch.add(other.call));
      lead(batch, others);
    }
  }

  /** Null if the caller leads at once. */
  private synchronized @Nullable Follower<C> follow(C call) {
    if (Integer.compareUnsigned(leaders, connections.getAsInt()) < 0) { // -1: no limit
      leaders++;
      return null;
    }
    Follower<C> follower = new Follower<>(call);
    followers.add(follower);
    return follower;
  }

  private synchronized List<Follower<C>> takeAlong(int mostMillisLeft) {
    List<Follower<C>> others = new ArrayList<>();
    Follower<C> next = followers.peek();
    while (next != null
        && others.size() < MOST_OTHERS
        && next.call.millisLeft() <= mostMillisLeft) {
      others.add(followers.remove());
      next = followers.peek();
    }
    return others;
  }

  private void lead(List<C> batch, List<Follower<C>> others) {
    try {
      exchange.accept(batch);
    } catch (Error e) { // this thread ends by the error, and the others must not wait for it
      batch.forEach(call -> call.fail(e));
      throw e;
    } finally {
      appointNext();
      others.forEach(other -> other.complete(false));
    }
  }

  private void appointNext() {
    Follower<C> next;
    do {
      next = nextOrStepDown();
    } while (next != null && !next.complete(true)); // skip followers whose time is over
  }

  private synchronized @Nullable Follower<C> nextOrStepDown() {
    Follower<C> next = followers.poll();
    if (next == null) {
      leaders--;
    }
    return next;
  }
}
