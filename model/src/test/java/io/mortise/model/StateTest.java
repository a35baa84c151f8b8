package io.mortise.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.model.Message.Kind;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The form of a state: nothing that matters is lost in it, and nothing else makes a difference. */
class StateTest {
  private static final Setup SETUP = Scenario.SHARING.setup();

  @ParameterizedTest
  @EnumSource
  void everyFieldOfAStateIsReadAsItWasWritten(Scenario scenario) throws IllegalAccessException {
    Setup setup = scenario.setup();
    Random random = new Random(14);
    for (int walk = 0; walk < 20; walk++) {
      State state = new State(setup);
      for (int i = 0; i < 40; i++) {
        List<State> next = new ArrayList<>();
        new Steps(state, (step, to) -> next.add(to)).all();
        state = next.get(random.nextInt(next.size()));
        byte[] form = state.encode();
        State read = State.decode(setup, form);
        assertEquals(fields(state), fields(read));
        assertEquals(fields(state), fields(state.copy()));
        assertArrayEquals(form, read.encode(), state::toString);
      }
    }
  }

  /** Every field of it and of what it has, also those that no toString names. */
  private static String fields(Object of) throws IllegalAccessException {
    if (of instanceof Number || of instanceof Boolean || of instanceof Enum) {
      return of.toString();
    }
    StringJoiner fields = new StringJoiner(", ", "[", "]");
    if (of instanceof Iterable<?> all) {
      for (Object each : all) {
        fields.add(fields(each));
      }
    } else if (of.getClass().isArray()) {
      for (int i = 0; i < Array.getLength(of); i++) {
        fields.add(fields(Array.get(of, i)));
      }
    } else {
      for (Field each : of.getClass().getDeclaredFields()) {
        if (!Modifier.isStatic(each.getModifiers()) && each.getType() != Setup.class) {
          each.setAccessible(true);
          fields.add(each.getName() + " " + fields(each.get(of)));
        }
      }
    }
    return fields.toString();
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
