package io.mortise.model;

import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The protocol of the exclusive lock as a model that can be explored. Read on in this order:
 *
 * <ol>
 *   <li>{@link State}: the keys in the {@link Store}, the {@link Waiter}s and the {@link Message}s
 *   <li>{@link Scripts}: what the store does
 *   <li>{@link Clients}: what waiters and their services do
 *   <li>{@link Steps} and {@link Fault}: what may happen next, and what may go wrong
 *   <li>{@link Rule}: what must always be true
 *   <li>{@link Mistake}: what breaks it
 * </ol>
 */
final class Protocol implements Explorer.Model<State, Step> {
  private final Setup setup;

  private Protocol(Setup setup) {
    this.setup = setup;
  }

  /** Explores a setup until a rule is broken, until no state is new, or up to so many states. */
  static Explorer.Result explore(Setup setup, int limit) {
    return Explorer.explore(new Protocol(setup), limit);
  }

  @Override
  public State start() {
    return new State(setup);
  }

  @Override
  public void steps(State from, BiConsumer<Step, State> to) {
    new Steps(from, to).all();
  }

  @Override
  public byte[] encode(State state) {
    return state.encode();
  }

  @Override
  public State decode(byte[] form) {
    return State.decode(setup, form);
  }

  @Override
  public Optional<String> broken(State before, Step step, State after) {
    for (Rule rule : setup.rules()) {
      if (rule.isBroken(before, step, after)) {
        return Optional.of("%s is broken: %s. Now %s".formatted(rule, rule.text(), after));
      }
    }
    return Optional.empty();
  }

  @Override
  public String tell(State before, Step step, State after) {
    return step.toString();
  }
}
