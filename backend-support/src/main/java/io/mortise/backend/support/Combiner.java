package io.mortise.backend.support;

import java.time.Duration;
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
 * Callers of a client that blocks, and has so many connections. Who finds one free uses it alone.
 * Others wait; the first of them to get one sends the calls of those behind it along, in one piece,
 * and reads their replies. So threads that are more than connections cost fewer system calls, not
 * more. After the idea of flat combining (Hendler, Incze, Shavit and Tzafrir, 2010). Thread-safe.
 *
 * @param <C> calls
 */
public final class Combiner<C extends PendingCall> {
  /*
   * A leader has a connection, or is about to borrow it. There are never more leaders than
   * connections, and followers only while there are as many: a leader that is done appoints the
   * first follower, and steps down only if there is none. Each leads for one exchange, so nobody
   * works for others without end.
   *
   * A follower is completed once: true, it leads; false, its call is out of its hands, since a
   * leader took it along or its time was over.
   */
  private static final int MOST_OTHERS = 100;

  /**
   * Whose time ends later than the leader's by more milliseconds is not sent along: a leader waits
   * for all replies.
   */
  private static final int LATER = 50;

  private final IntSupplier connections;
  private final Consumer<List<C>> exchange;
  private final Queue<Follower<C>> followers = new ArrayDeque<>();
  private int leaders;

  /**
   * Knows what to do with a connection, and how many there are.
   *
   * @param connections how many at most at a time, now; negative for no limit
   * @param exchange sends calls and reads their replies, on the thread of one of their callers;
   *     does not throw. It ends every call, or sees to it that each ends in time
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

    /** Waits for its turn, or until its call is out of its hands. */
    boolean leads() {
      PendingCall.awaitEnd(this, Duration.ofMillis(call.millisLeft()));
      if (complete(false)) {
        call.fail(new TimeoutException());
      }
      return join();
    }
  }

  /**
   * Waits for a connection, and uses it for the call. Interrupts change nothing.
   *
   * @param call one that has not ended
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

  /** Nothing if it leads at once. */
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
    } catch (Error e) { // the others must not wait for a thread that ends by it
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
    } while (next != null && !next.complete(true)); // not one whose time is over
  }

  private synchronized @Nullable Follower<C> nextOrStepDown() {
    Follower<C> next = followers.poll();
    if (next == null) {
      leaders--;
    }
    return next;
  }
}
