package io.mortise.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Visits every state that a model can reach, the nearest first. So the first broken rule comes with
 * a shortest story that leads to it.
 *
 * <p>A visited state is kept as the bytes of its canonical form, and the index of the state it came
 * from. States are compared byte by byte, so no two are ever taken for one. The steps of a story
 * are not kept: it is played again from the start.
 *
 * @param <S> a state
 * @param <M> a step from one state to the next
 */
final class Explorer<S, M> {
  /** What can be explored. */
  interface Model<S, M> {
    S start();

    /** Gives every step that is possible in a state, with the state that it leads to. */
    void steps(S from, BiConsumer<M, S> to);

    /** The canonical form. States with the same form have the same future. */
    byte[] encode(S state);

    S decode(byte[] form);

    /** Why this step breaks a rule; empty if it breaks none. */
    Optional<String> broken(S before, M step, S after);

    /** The step as one line of a story. */
    String tell(S before, M step, S after);
  }

  /** A shortest way from the start to a broken rule. */
  record Story(List<String> steps, String broken) {
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < steps.size(); i++) {
        text.append("%3d. %s%n".formatted(i + 1, steps.get(i)));
      }
      return text.append("  => ").append(broken).toString();
    }
  }

  /**
   * The result of an exploration.
   *
   * @param states how many states were visited
   * @param depth the number of steps to the state that is farthest away
   * @param complete whether these are all states; false if a rule was broken or the limit reached
   * @param story how a rule was broken
   */
  record Result(int states, int depth, boolean complete, Optional<Story> story) {}

  private final Model<S, M> model;
  private final List<byte[]> forms = new ArrayList<>();
  private int[] parents = new int[1 << 10];
  private long[] table = new long[1 << 11];
  private Optional<Story> story = Optional.empty();

  private Explorer(Model<S, M> model) {
    this.model = model;
  }

  /** Explores a model until a rule is broken, until no state is new, or up to so many states. */
  static <S, M> Result explore(Model<S, M> model, int limit) {
    return new Explorer<>(model).run(limit);
  }

  private Result run(int limit) {
    add(model.encode(model.start()), -1);
    int depth = 0;
    int levelEnd = 1;
    int next = 0;
    while (next < forms.size() && story.isEmpty() && forms.size() < limit) {
      if (next == levelEnd) {
        depth++;
        levelEnd = forms.size();
      }
      expand(next++);
    }
    boolean complete = story.isEmpty() && next == forms.size();
    return new Result(forms.size(), depth, complete, story);
  }

  private void expand(int index) {
    S from = model.decode(forms.get(index));
    int[] steps = new int[1];
    model.steps(
        from,
        (step, to) -> {
          steps[0]++;
          Optional<String> broken =
              story.isPresent() ? Optional.empty() : model.broken(from, step, to);
          if (broken.isPresent()) {
            story = Optional.of(tell(index, model.tell(from, step, to), broken.get()));
          }
          add(model.encode(to), index);
        });
    if (steps[0] == 0 && story.isEmpty()) {
      story = Optional.of(tell(index, "nothing can happen any more", "deadlock"));
    }
  }

  /** Plays the way to a state again, from the start. */
  private Story tell(int index, String last, String broken) {
    List<String> lines = new ArrayList<>();
    lines.add(last);
    for (int at = index; parents[at] >= 0; at = parents[at]) {
      lines.add(lineFrom(parents[at], forms.get(at)));
    }
    Collections.reverse(lines);
    return new Story(lines, broken);
  }

  private String lineFrom(int parent, byte[] child) {
    S from = model.decode(forms.get(parent));
    String[] line = new String[1];
    model.steps(
        from,
        (step, to) -> {
          if (line[0] == null && Arrays.equals(model.encode(to), child)) {
            line[0] = model.tell(model.decode(forms.get(parent)), step, to);
          }
        });
    return line[0];
  }

  // The states seen so far: a hash table. An entry is a hash and an index plus one, or 0.

  private void add(byte[] form, int parent) {
    int hash = hash(form);
    int slot = hash & (table.length - 1);
    while (table[slot] != 0) {
      int seen = (int) table[slot] - 1;
      if ((int) (table[slot] >> 32) == hash && Arrays.equals(forms.get(seen), form)) {
        return;
      }
      slot = (slot + 1) & (table.length - 1);
    }
    int index = forms.size();
    if (index == parents.length) {
      parents = Arrays.copyOf(parents, index * 2);
    }
    forms.add(form);
    parents[index] = parent;
    table[slot] = ((long) hash << 32) | (index + 1);
    if (index * 2 > table.length) {
      grow();
    }
  }

  private void grow() {
    long[] old = table;
    table = new long[old.length * 2];
    for (long entry : old) {
      if (entry != 0) {
        int slot = (int) (entry >> 32) & (table.length - 1);
        while (table[slot] != 0) {
          slot = (slot + 1) & (table.length - 1);
        }
        table[slot] = entry;
      }
    }
  }

  private static int hash(byte[] form) {
    long hash = form.length;
    for (byte each : form) {
      hash = (hash ^ each) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 29;
    }
    return (int) (hash ^ (hash >>> 32));
  }
}
