package io.mortise.backend.support;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The subscriptions that share one connection for messages. Says when to send SUBSCRIBE and
 * UNSUBSCRIBE, and what the server's answers mean for whom, also where they cross: a subscription
 * is live only when what confirmed it was sent after the last UNSUBSCRIBE of its channel.
 * Thread-safe; it tells on the threads that call it.
 */
public final class Channels {
  private final Executor turns;
  private final Function<String, CompletionStage<?>> subscribe;
  private final Function<String, CompletionStage<?>> unsubscribe;
  private final List<Feed> feeds = new CopyOnWriteArrayList<>();

  /** The channels of the UNSUBSCRIBEs under way, as often as there are any. */
  private final Queue<String> leaving = new ConcurrentLinkedQueue<>();

  private volatile boolean closed;

  /**
   * Nobody listens yet.
   *
   * @param turns runs who joins and who leaves, best one after another: two that cross may cost a
   *     gap
   * @param subscribe sends SUBSCRIBE for a channel, or lets it be while there is no connection; a
   *     stage that fails is the server's refusal
   * @param unsubscribe sends UNSUBSCRIBE; its stage fails if that is in vain
   */
  public Channels(
      Executor turns,
      Function<String, CompletionStage<?>> subscribe,
      Function<String, CompletionStage<?>> unsubscribe) {
    this.turns = turns;
    this.subscribe = subscribe;
    this.unsubscribe = unsubscribe;
  }

  /**
   * Begins to listen; see {@link io.mortise.spi.LockBackend#subscribe}.
   *
   * @param channel its name
   * @param listener who is told, also when {@link #close} came first
   * @return ends it; waits for a call of the listener that another thread is in
   */
  public Subscription subscribe(String channel, ChannelListener listener) {
    Feed feed = new Feed(channel, listener);
    turns.execute(() -> join(feed));
    return () -> {
      feed.close();
      turns.execute(() -> leave(feed));
    };
  }

  private void join(Feed feed) {
    if (closed) {
      feed.interrupted(new IllegalStateException("the backend is closed"));
    } else {
      feeds.add(feed);
      ask(feed.channel());
    }
  }

  private void leave(Feed feed) {
    if (feeds.remove(feed)) {
      leaveIfUnused(feed.channel());
    }
  }

  private void leaveIfUnused(String channel) {
    if (!closed && on(channel).findAny().isEmpty()) {
      leaving.add(channel);
      ifFails(unsubscribe.apply(channel), cause -> left(channel));
    }
  }

  private void ask(String channel) {
    ifFails(subscribe.apply(channel), cause -> refused(channel, cause));
  }

  private static void ifFails(CompletionStage<?> sent, Consumer<Throwable> then) {
    CompletionStage<?> unused =
        sent.whenComplete((done, cause) -> {
          if (cause != null) {
            then.accept(cause);
          }
        });
  }

  private Stream<Feed> on(String channel) {
    return feeds.stream().filter(feed -> feed.channel().equals(channel));
  }

  /**
   * Whether nobody listens.
   *
   * @return whether all that joined have left
   */
  public boolean isEmpty() {
    return feeds.isEmpty();
  }

  /**
   * Channels to be asked for again, from time to time.
   *
   * @return those whose subscription the server has not confirmed
   */
  public Set<String> awaited() {
    return feeds.stream()
        .filter(feed -> !feed.isLive())
        .map(Feed::channel)
        .collect(Collectors.toSet());
  }

  /**
   * Sends SUBSCRIBE for the {@link #awaited} channels.
   *
   * @return whether there are any
   */
  public boolean askAgain() {
    Set<String> channels = awaited();
    channels.forEach(this::ask);
    return !channels.isEmpty();
  }

  /**
   * A new connection stands, so no UNSUBSCRIBE is under way. Needs to be told only by who makes the
   * connection anew and sends nothing by it before.
   */
  public void connected() {
    leaving.clear();
  }

  /**
   * The server has confirmed a SUBSCRIBE: perhaps an older one, if an UNSUBSCRIBE is under way;
   * perhaps one that a client repeated by itself although the channel was left meanwhile.
   *
   * @param channel its name
   */
  public void confirmed(String channel) {
    if (!leaving.contains(channel)) {
      on(channel).forEach(Feed::confirmed);
      if (on(channel).findAny().isEmpty()) {
        turns.execute(() -> leaveIfUnused(channel));
      }
    }
  }

  /**
   * An UNSUBSCRIBE has been answered, or will not be. If it overtook the SUBSCRIBE of somebody who
   * joined meanwhile, that one is repeated.
   *
   * @param channel its name
   */
  public void left(String channel) {
    leaving.remove(channel);
    Throwable cause = new IllegalStateException("unsubscribed");
    on(channel).filter(Feed::isLive).forEach(feed -> feed.interrupted(cause));
    turns.execute(() -> askIfAwaited(channel));
  }

  private void askIfAwaited(String channel) {
    if (awaited().contains(channel)) {
      ask(channel);
    }
  }

  /**
   * The server has refused a SUBSCRIBE.
   *
   * @param channel its name
   * @param cause the server's error
   */
  public void refused(String channel, Throwable cause) {
    on(channel).filter(feed -> !feed.isLive()).forEach(feed -> feed.interrupted(cause));
  }

  /**
   * What the server said, for clients that read it as it came.
   *
   * @param news its kind, the channel, and what there is to say of it
   */
  public void hear(List<?> news) {
    String channel = String.valueOf(news.get(1));
    switch (String.valueOf(news.get(0))) {
      case "message" -> message(channel, String.valueOf(news.get(2)));
      case "subscribe" -> confirmed(channel);
      case "unsubscribe" -> left(channel);
      default -> {} // the PONG
    }
  }

  /**
   * A message came.
   *
   * @param channel its channel
   * @param message its payload
   */
  public void message(String channel, String message) {
    on(channel).forEach(feed -> feed.message(message));
  }

  /**
   * The connection was lost, and with it every subscription.
   *
   * @param cause why
   */
  public void interrupted(Throwable cause) {
    feeds.forEach(feed -> feed.interrupted(cause));
  }

  /** Tells nobody anything any more. */
  public void close() {
    closed = true;
    feeds.forEach(Feed::close);
    turns.execute(feeds::clear); // after those who were about to join
  }
}
