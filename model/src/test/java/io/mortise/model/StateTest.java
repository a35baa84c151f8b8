package io.mortise.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.model.Message.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The form of a state: nothing that matters is lost in it, and nothing else makes a difference. */
class StateTest {
  private static final Setup SETUP = Scenario.SHARING.setup();

  @Test
  void aStateIsReadAsItWasWritten() {
    Random random = new Random(14);
    State state = new State(SETUP);
    for (int i = 0; i < 5_000; i++) {
      List<State> next = new ArrayList<>();
      new Steps(state, (step, to) -> next.add(to)).all();
      state = next.get(random.nextInt(next.size()));
      byte[] form = state.encode();
      assertArrayEquals(form, State.decode(SETUP, form).encode(), state::toString);
      assertEquals(state.toString(), State.decode(SETUP, form).toString());
    }
  }

  @Test
  void onlyTheOrderOfTicketsMatters() {
    assertArrayEquals(withTickets(1, 2).encode(), withTickets(7, 30).encode());
    assertFalse(Arrays.equals(withTickets(1, 2).encode(), withTickets(2, 1).encode()));
  }

  private static State withTickets(int first, int second) {
    State state = new State(SETUP);
    state.store.ticket[0] = first;
    state.store.ticket[4] = second;
    return state;
  }

  @Test
  void theOrderInWhichMessagesWereSentDoesNotMatter() {
    Message one = new Message(Kind.GRANT, 0, 0, 0, 0, 0, false);
    Message two = new Message(Kind.GRANT, 4, 0, 0, 0, 0, false);
    assertArrayEquals(withMessages(one, two).encode(), withMessages(two, one).encode());
    assertFalse(Arrays.equals(withMessages(one).encode(), withMessages(one, one).encode()));
  }

  private static State withMessages(Message... messages) {
    State state = new State(SETUP);
    state.messages.addAll(List.of(messages));
    return state;
  }

  @Test
  void aNumberThatDoesNotFitIsRefused() {
    State state = new State(SETUP);
    state.store.holder = 0;
    state.store.ttl = 200;
    assertThrows(IllegalStateException.class, state::encode);
  }
}
