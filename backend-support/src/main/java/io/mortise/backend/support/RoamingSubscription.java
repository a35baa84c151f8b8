package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A subscription of a user that goes from node to node, and the one at the present node that stands
 * for it. Only one thread attaches and detaches it. Events of a node may come on any thread.
 */
public final class RoamingSubscription {
  private final ChannelSubscription user;
  private @Nullable Subscription present;

  /**
   * Creates a subscription that has no node yet.
   *
   * @param channel the channel's name
   * @param listener receives the events
   */
  public RoamingSubscription(String channel, ChannelListener listener) {
    user = new ChannelSubscription(channel, listener);
  }

  /**
   * The channel's name.
   *
   * @return as it was given
   */
  public String channel() {
    return user.channel();
  }

  /**
   * Subscribes at a node, unless it has one.
   *
   * @param server the node's address, for messages
   * @param node subscribes a listener to a channel there
   * @param interrupted told of an interruption, after the user
   */
  public void attach(
      String server,
      BiFunction<String, ChannelListener, Subscription> node,
      Consumer<Throwable> interrupted) {
    if (present == null) {
      present = node.apply(user.channel(), relay(server, interrupted));
    }
  }

  private ChannelListener relay(String server, Consumer<Throwable> interrupted) {
    return new ChannelListener() {
      @Override
      public void onSubscribed() {
        user.confirmed();
      }

      @Override
      public void onInterrupted(Throwable cause) {
        user.interrupted(at(server, cause));
        interrupted.accept(cause);
      }

      @Override
      public void onMessage(String message) {
        user.message(message);
      }
    };
  }

  /** The user does not know which node it is at. */
  private static Throwable at(String server, Throwable cause) {
    Throwable reason =
        Stream.iterate(cause, Objects::nonNull, Throwable::getCause)
            .reduce(cause, (outer, inner) -> outer instanceof BackendException ? outer : inner);
    String words = String.valueOf(reason.getMessage());
    return words.contains(server)
        ? cause
        : new BackendException(Outcome.NOT_EXECUTED, server + ": " + words, cause);
  }

  /**
   * Leaves the present node, and reports a gap.
   *
   * @param cause the reason
   */
  public void detach(Throwable cause) {
    try {
      leave(); // first: the node may confirm again meanwhile, and the gap would be missed
    } finally {
      user.interrupted(cause);
    }
  }

  /** Leaves the present node, if there is one. */
  public void leave() {
    Subscription left = present;
    present = null; // before an Error
    if (left != null) {
      left.close();
    }
  }

  /**
   * Reports a gap.
   *
   * @param cause the reason
   */
  public void interrupted(Throwable cause) {
    user.interrupted(cause);
  }

  /** Ends all notifications. Waits for a call of the listener on another thread. */
  public void close() {
    user.close();
  }
}
