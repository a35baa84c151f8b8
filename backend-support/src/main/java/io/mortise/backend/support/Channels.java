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
 * The subscriptions that share one message connection. This class decides when to send SUBSCRIBE
 * and UNSUBSCRIBE, and which subscriptions each reply of the server concerns. Commands and replies
 * may cross. A subscription is live only when the SUBSCRIBE that confirmed it was sent after the
 * last UNSUBSCRIBE of its channel. Thread-safe; listeners are called on the threads that report
 * events here.
 */
public final class Channels {
  private final Executor turns;
  private final Function<String, CompletionStage<?>> subscribe;
  private final Function<String, CompletionStage<?>> unsubscribe;
  private final List<ChannelSubscription> users = new CopyOnWriteArrayList<>();

  /** The channels of all UNSUBSCRIBEs under way; a channel is in it once for each of them. */
  private final Queue<String> leaving = new ConcurrentLinkedQueue<>();

  private volatile boolean closed;

  /**
   * Creates an empty set of subscriptions.
   *
   * @param turns runs the additions and removals of subscriptions; best one after another, because
   *     two that cross may cost a gap
   * @param subscribe sends SUBSCRIBE for a channel, or does nothing while there is no connection; a
   *     stage that fails means that the server refused
   * @param unsubscribe sends UNSUBSCRIBE; its stage fails if it cannot be sent
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
   * Subscribes a listener; see {@link io.mortise.spi.LockBackend#subscribe}.
   *
   * @param channel the channel's name
   * @param listener receives the events; its {@code onInterrupted} is called if {@link #close} came
   *     first
   * @return closes the subscription, and waits for a call of the listener on another thread
   */
  public Subscription subscribe(String channel, ChannelListener listener) {
    ChannelSubscription user = new ChannelSubscription(channel, listener);
    turns.execute(() -> join(user));
    return () -> {
      user.close();
      turns.execute(() -> leave(user));
    };
  }

  private void join(ChannelSubscription user) {
    if (closed) {
      user.interrupted(new IllegalStateException("the backend is closed"));
    } else {
      users.add(user);
      ask(user.channel());
    }
  }

  private void leave(ChannelSubscription user) {
    if (users.remove(user)) {
      leaveIfUnused(user.channel());
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

  private Stream<ChannelSubscription> on(String channel) {
    return users.stream().filter(user -> user.channel().equals(channel));
  }

  /**
   * Whether there are no subscriptions.
   *
   * @return true if all have been closed
   */
  public boolean isEmpty() {
    return users.isEmpty();
  }

  /**
   * The channels that the caller should ask for again, from time to time.
   *
   * @return the channels with a subscription that the server has not confirmed
   */
  public Set<String> awaited() {
    return users.stream()
        .filter(user -> !user.isLive())
        .map(ChannelSubscription::channel)
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
   * Reports a new connection, on which no UNSUBSCRIBE is under way. Needed only from a backend that
   * reconnects by itself; it must call this before it sends anything on the new connection.
   */
  public void connected() {
    leaving.clear();
  }

  /**
   * Reports that the server has confirmed a SUBSCRIBE. It may be an older one, if an UNSUBSCRIBE is
   * under way. It may also be one that the client repeated by itself after the channel was left.
   *
   * @param channel the channel's name
   */
  public void confirmed(String channel) {
    // First the users, then the UNSUBSCRIBEs: a user that joins in between is not of this reply.
    List<ChannelSubscription> present = on(channel).toList();
    if (!leaving.contains(channel)) {
      present.forEach(ChannelSubscription::confirmed);
      if (present.isEmpty()) {
        turns.execute(() -> leaveIfUnused(channel));
      }
    }
  }

  /**
   * Reports that an UNSUBSCRIBE was answered, or will not be. It may have overtaken the SUBSCRIBE
   * of a newer subscription; that SUBSCRIBE is then repeated.
   *
   * @param channel the channel's name
   */
  public void left(String channel) {
    leaving.remove(channel);
    Throwable cause = new IllegalStateException("unsubscribed");
    on(channel).filter(ChannelSubscription::isLive).forEach(user -> user.interrupted(cause));
    turns.execute(() -> askIfAwaited(channel));
  }

  private void askIfAwaited(String channel) {
    if (awaited().contains(channel)) {
      ask(channel);
    }
  }

  /**
   * Reports that the server has refused a SUBSCRIBE.
   *
   * @param channel the channel's name
   * @param cause the server's error
   */
  public void refused(String channel, Throwable cause) {
    on(channel).filter(user -> !user.isLive()).forEach(user -> user.interrupted(cause));
  }

  /**
   * Reports an error reply, which names no channel. So each command under way counts as refused. A
   * channel that the server does accept is confirmed later.
   *
   * @param cause the server's error
   */
  public void refused(Throwable cause) {
    awaited().forEach(channel -> refused(channel, cause));
    List.copyOf(leaving).forEach(this::left); // a node of a cluster refuses it without the slot
  }

  /**
   * Reports a push message of the server as it was read.
   *
   * @param news the message's kind, its channel, and its content
   */
  public void hear(List<?> news) {
    String channel = String.valueOf(news.get(1));
    switch (String.valueOf(news.get(0))) {
      case "message", "smessage" -> message(channel, String.valueOf(news.get(2)));
      case "subscribe", "ssubscribe" -> confirmed(channel);
      case "unsubscribe", "sunsubscribe" -> left(channel);
      default -> {} // a PONG
    }
  }

  /**
   * Reports a message.
   *
   * @param channel the channel's name
   * @param message the payload
   */
  public void message(String channel, String message) {
    on(channel).forEach(user -> user.message(message));
  }

  /**
   * Reports that the connection was lost, and every subscription with it.
   *
   * @param cause the reason
   */
  public void interrupted(Throwable cause) {
    users.forEach(user -> user.interrupted(cause));
  }

  /** Ends all notifications. */
  public void close() {
    closed = true;
    users.forEach(ChannelSubscription::close);
    turns.execute(users::clear); // after the additions that are still to run
  }
}
