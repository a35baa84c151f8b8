package io.mortise.backend.support;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.function.BiFunction;
import java.util.function.Consumer;
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
   * @param node subscribes a listener to a channel there
   * @param interrupted told of an interruption, after the user
   */
  public void attach(
      BiFunction<String, ChannelListener, Subscription> node, Consumer<Throwable> interrupted) {
    if (present == null) {
      present = node.apply(user.channel(), relay(interrupted));
    }
  }

  private ChannelListener relay(Consumer<Throwable> interrupted) {
    return new ChannelListener() {
      @Override
      public void onSubscribed() {
        user.confirmed();
      }

      @Override
      public void onInterrupted(Throwable cause) {
        user.interrupted(cause);
        interrupted.accept(cause);
      }

      @Override
      public void onMessage(String message) {
        user.message(message);
      }
    };
  }

  /**
   * Leaves the present node, and reports a gap.
   *
   * @param cause the reason
   */
  public void detach(Throwable cause) {
    leave(); // first: the node may confirm again meanwhile, and the gap would be missed
    user.interrupted(cause);
  }

  /** Leaves the present node, if there is one. */
  public void leave() {
    if (present != null) {
      present.close();
      present = null;
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
