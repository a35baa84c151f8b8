package io.mortise.model;

import static io.mortise.model.State.NONE;

import io.mortise.model.Message.Kind;
import io.mortise.model.Waiter.Phase;

/**
 * The messages that the process sends that ran their script, as PostingBackend does on a service
 * that shards PUBLISH.
 */
final class Posts {
  private final State state;
  private final Setup setup;

  Posts(State state) {
    this.state = state;
    setup = state.setup;
  }

  /** Sends a message to the mailbox that it is for. */
  void send(Message message) {
    if (setup.has(Mistake.POSTED_TO_ITSELF)) {
      // its own mailbox knows no such id, and gives the grant back
      new Clients(state).leave(message.id(), false);
      return;
    }
    State.Service to = state.services[state.serviceOf(message.id())];
    if (to.isSubscribed() && !to.halfOpen) {
      state.messages.add(message.sent(setup.times().delay()));
    }
  }

  /** A reply to a process, or a message that was in one. */
  static boolean isOnTheLinkOf(State state, int service, Message message) {
    if (message.isPost()) {
      return message.sender() == service;
    }
    boolean reply = !message.kind().isCommand() && !message.kind().isMail();
    return reply && state.serviceOf(message.id()) == service;
  }

  // Planted mistakes

  /** A process releases, and tells the next waiter before the store has granted. */
  void sendTooEarly() {
    int head = state.store.first();
    if (setup.has(Mistake.POSTED_BEFORE_ITS_SCRIPT) && head != NONE) {
      state.messages.add(new Message(Kind.GRANT, head, setup.times().delay(), 0, 0, 0, false));
    }
  }

  /** A message was lost, so a thread was told that its release has failed. */
  void lost(Message message) {
    if (!message.isPost() || !setup.has(Mistake.LOST_POST_FAILS_THE_RELEASE)) {
      return;
    }
    for (int w = 0; w < state.waiters.length; w++) {
      Waiter waiter = state.waiters[w];
      if (setup.serviceOf(w) == message.sender() && waiter.phase == Phase.IDLE) {
        waiter.id = state.newId(w);
        new Arrivals(state).take(w, 0);
      }
    }
  }
}
