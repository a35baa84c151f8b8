package io.mortise.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A state of {@link Probes}. Each step works on a copy. Arrays have a number for each thread. */
final class ProbeState {
  static final int NONE = -1;

  int[] holder;
  int[] id;
  int[] waitsFor;
  int[] wait;
  int[] walk;

  /** How many looks of each thread have begun. */
  int[] begun;

  /** How many looks of each thread have begun while it was the youngest of its circle. */
  int[] looks;

  int next;
  int moves;
  int losses;
  int copies;
  List<int[]> flying = new ArrayList<>();

  /** The thread, the last walk that had begun or TOLD, and the path. */
  List<int[]> seen = new ArrayList<>();

  /** All circles that there were. */
  List<int[]> circles = new ArrayList<>();

  List<int[]> told = new ArrayList<>();
  Probes.Rule broken = Probes.Rule.NONE;

  /** Each thread holds one lock, and waits for none. */
  ProbeState(int threads) {
    holder = new int[threads];
    id = new int[threads];
    waitsFor = new int[threads];
    wait = new int[threads];
    walk = new int[threads];
    begun = new int[threads];
    looks = new int[threads];
    for (int i = 0; i < threads; i++) {
      holder[i] = i;
      id[i] = i;
      waitsFor[i] = NONE;
    }
    next = threads;
  }

  /** Writes it, or reads it into a state of as many threads. */
  void code(Coder coder) {
    for (int[] each : List.of(holder, id, waitsFor, wait, walk, begun, looks)) {
      code(coder, each);
    }
    next = coder.of(next);
    moves = coder.of(moves);
    losses = coder.of(losses);
    copies = coder.of(copies);
    broken = coder.of(broken, Probes.Rule.values());
    code(coder, flying);
    code(coder, seen);
    code(coder, circles);
    code(coder, told);
  }

  private static void code(Coder coder, int[] numbers) {
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = coder.of(numbers[i]);
    }
  }

  /** The order of messages, paths and circles has no meaning. */
  private static void code(Coder coder, List<int[]> lists) {
    lists.sort(Arrays::compare);
    int size = coder.of(lists.size());
    for (int i = 0; i < size; i++) {
      boolean reads = i >= lists.size();
      int[] numbers = new int[coder.of(reads ? 0 : lists.get(i).length)];
      if (!reads) {
        numbers = lists.get(i);
      }
      code(coder, numbers);
      if (reads) {
        lists.add(numbers);
      }
    }
  }
}
