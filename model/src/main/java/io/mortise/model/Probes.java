package io.mortise.model;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * How deadlocks are found, as a model beside that of the queue: threads in processes of their own,
 * which hold one lock each at the start, and probes between them. It has the rules of the class
 * {@code Walks} of the engine.
 *
 * <p>A number that is used once stands for each acquisition id, for each begin of a hold, and for
 * each begin of a wait. So the larger of two waits is the younger one.
 */
final class Probes implements Explorer.Model<ProbeState, String> {
  /** What must always be true. */
  enum Rule {
    /** No rule is broken. */
    NONE,
    /** What is told was true at some moment. */
    REAL,
    /** A circle is told at the first look, and one look later for each lost message. */
    FOUND,
    /** A circle is told once. */
    ONCE
  }

  /** What breaks a rule. */
  enum Flaw {
    ONE_WALK("a circle is told when the first walk comes back", Rule.REAL, Case.RING),
    ANY_TWO("the second walk may have begun before the first came back", Rule.REAL, Case.RING),
    NO_WAIT("a hop does not say which wait it saw", Rule.REAL, Case.AGAIN),
    ALL_PASS("a thread passes on the walk of an older wait too", Rule.ONCE, Case.LOST),
    FORGETS("a service forgets what it has told", Rule.ONCE, Case.LOST),
    NONE_PASS("no thread passes a walk on", Rule.FOUND, Case.LOST),
    FIRST_ONLY("a thread begins one walk for each circle", Rule.FOUND, Case.LOST);

    final String text;
    final Rule finder;
    final Case where;

    Flaw(String text, Rule finder, Case where) {
      this.text = text;
      this.finder = finder;
      this.where = where;
    }
  }

  /** What is explored whole. */
  @SuppressWarnings("ImmutableEnumChecker") // a setup has numbers only
  enum Case {
    RING(
        "three threads that wait for each other and give up, clocks that are wrong, messages that are late or come twice",
        new Setup(3, 4, 2, 0, 1, true, true, true)),
    AGAIN(
        "the same with more waits, and messages that are in time",
        new Setup(3, 8, 2, 0, 0, false, true, true)),
    LATE(
        "three threads that also release, take and hand off, clocks that are wrong, late messages",
        new Setup(3, 5, 2, 0, 0, true, false, true)),
    MOVES(
        "three threads that do all that, a message is lost",
        new Setup(3, 4, 2, 1, 0, false, false, false)),
    LOST(
        "three threads and many looks, a message is lost",
        new Setup(3, 3, 4, 1, 0, false, false, false));

    final String text;
    final Setup setup;

    Case(String text, Setup setup) {
      this.text = text;
      this.setup = setup;
    }
  }

  /**
   * What is explored.
   *
   * @param threads how many threads there are, each with a lock
   * @param moves how often a thread may take, wait, give up, release or hand off
   * @param looks how many walks each thread begins at most
   * @param losses how many messages may be lost
   * @param copies how many messages may come twice
   * @param slow whether a thread may look again before its last probe has arrived
   * @param ring whether each thread keeps its lock, and waits only for that of the next
   * @param skewed whether clocks are so wrong that any wait of a thread counts as younger than
   *     those of the threads behind it
   */
  record Setup(
      int threads,
      int moves,
      int looks,
      int losses,
      int copies,
      boolean slow,
      boolean ring,
      boolean skewed) {}

  /** A hop: an acquisition id, and the begin of the wait. */
  private static final int HOP = 2;

  /** Before the hops of a probe: the id to which it goes, its thread and wait, and its walk. */
  private static final int HEAD = 4;

  /** Before the path of a walk that came back: its thread, and the last walk that had begun. */
  private static final int NOTE = 2;

  private static final int NONE = ProbeState.NONE;
  private static final int TOLD = 100;

  /** More than there are numbers. */
  private static final int SKEW = 32;

  private final Setup setup;
  private final Set<Flaw> flaws;

  Probes(Case of) {
    this(of, EnumSet.noneOf(Flaw.class));
  }

  Probes(Flaw planted) {
    this(planted.where, EnumSet.of(planted));
  }

  private Probes(Case of, Set<Flaw> flaws) {
    setup = of.setup;
    this.flaws = flaws;
  }

  private boolean has(Flaw flaw) {
    return flaws.contains(flaw);
  }

  @Override
  public ProbeState start() {
    ProbeState state = new ProbeState(setup.threads);
    state.moves = setup.moves;
    state.losses = setup.losses;
    state.copies = setup.copies;
    return state;
  }

  // Bytes

  @Override
  public byte[] encode(ProbeState state) {
    Coder coder = Coder.writer();
    state.code(coder);
    return coder.written();
  }

  @Override
  public ProbeState decode(byte[] form) {
    ProbeState state = start();
    state.code(Coder.reader(form));
    return state;
  }

  private ProbeState copy(ProbeState state) {
    return decode(encode(state));
  }

  // Steps

  @Override
  public void steps(ProbeState from, BiConsumer<String, ProbeState> to) {
    to.accept("time passes", copy(from));
    for (int thread = 0; thread < setup.threads; thread++) {
      if (from.moves > 0) {
        moves(from, thread, to);
      }
      if (mayLook(from, thread)) {
        ProbeState state = copy(from);
        look(state, thread);
        to.accept(name(thread) + " begins walk " + state.walk[thread], state);
      }
    }
    for (int i = 0; i < from.flying.size(); i++) {
      messages(from, i, to);
    }
  }

  private void moves(ProbeState from, int thread, BiConsumer<String, ProbeState> to) {
    if (from.waitsFor[thread] != NONE) {
      ProbeState state = moved(from);
      state.waitsFor[thread] = NONE;
      to.accept(name(thread) + " gives up", graph(state));
      return;
    }
    for (int lock = 0; lock < setup.threads; lock++) {
      if (setup.ring && lock != (thread + 1) % setup.threads) {
        continue;
      }
      if (from.holder[lock] == thread) {
        released(from, thread, lock, to);
      } else {
        ProbeState state = moved(from);
        if (state.holder[lock] == NONE) {
          hold(state, lock, thread, true);
        } else {
          state.waitsFor[thread] = lock;
          state.wait[thread] = begun(state, thread);
        }
        to.accept(name(thread) + " asks for " + lock, graph(state));
      }
    }
  }

  private void released(ProbeState from, int thread, int lock, BiConsumer<String, ProbeState> to) {
    boolean wanted = false;
    for (int next = 0; next < setup.threads; next++) {
      if (from.waitsFor[next] == lock) {
        wanted = true;
        ProbeState granted = moved(from);
        hold(granted, lock, next, true);
        to.accept(name(thread) + " releases " + lock + " to " + name(next), graph(granted));
        ProbeState handed = moved(from);
        hold(handed, lock, next, false);
        to.accept(name(thread) + " hands " + lock + " off to " + name(next), graph(handed));
      }
    }
    if (!wanted) {
      ProbeState state = moved(from);
      state.holder[lock] = NONE;
      to.accept(name(thread) + " releases " + lock, graph(state));
    }
  }

  private ProbeState moved(ProbeState from) {
    ProbeState state = copy(from);
    state.moves--;
    return state;
  }

  /** The number of a wait. The larger one counts as younger. */
  private int begun(ProbeState state, int thread) {
    return setup.skewed ? SKEW * (setup.threads - thread) + state.next++ : state.next++;
  }

  private static void hold(ProbeState state, int lock, int thread, boolean newId) {
    state.holder[lock] = thread;
    state.id[lock] = newId ? state.next++ : state.id[lock];
    state.waitsFor[thread] = NONE;
  }

  private boolean mayLook(ProbeState from, int thread) {
    boolean quiet = setup.slow || from.flying.stream().noneMatch(each -> each[1] == thread);
    boolean holds = Arrays.stream(from.holder).anyMatch(each -> each == thread);
    boolean vain = setup.skewed && thread > 0; // no such walk comes back
    return !vain
        && from.waitsFor[thread] != NONE
        && holds
        && quiet
        && from.begun[thread] < setup.looks;
  }

  private void look(ProbeState state, int thread) {
    state.begun[thread]++;
    int[] circle = circleOf(state, thread);
    if (isYoungest(state, thread, circle)) {
      state.looks[thread]++;
      boolean late = state.looks[thread] > 1 + setup.losses;
      if (late && !setup.slow && !contains(state.told, circle)) {
        state.broken = Rule.FOUND;
      }
    }
    if (!has(Flaw.FIRST_ONLY) || state.looks[thread] <= 1) {
      begin(state, thread);
    }
  }

  private static void begin(ProbeState state, int thread) {
    int id = state.id[state.waitsFor[thread]];
    state.flying.add(new int[] {id, thread, state.wait[thread], ++state.walk[thread]});
  }

  private void messages(ProbeState from, int index, BiConsumer<String, ProbeState> to) {
    String what = "a probe of " + name(from.flying.get(index)[1]);
    ProbeState arrived = copy(from);
    int[] probe = arrived.flying.remove(index);
    hear(arrived, probe);
    to.accept(what + " arrives", arrived);
    if (from.losses > 0) {
      ProbeState lost = copy(from);
      int[] unused = lost.flying.remove(index);
      lost.losses--;
      to.accept(what + " is lost", lost);
    }
    if (from.copies > 0) {
      ProbeState twice = copy(from);
      twice.flying.add(twice.flying.get(index).clone());
      twice.copies--;
      to.accept(what + " is there twice", twice);
    }
  }

  private void hear(ProbeState state, int[] probe) {
    for (int lock = 0; lock < setup.threads; lock++) {
      int thread = state.holder[lock];
      if (state.id[lock] != probe[0] || thread == NONE || state.waitsFor[thread] == NONE) {
        continue;
      }
      int[] longer = Arrays.copyOf(probe, probe.length + HOP);
      longer[probe.length] = state.id[lock];
      longer[probe.length + 1] = state.wait[thread];
      if (state.wait[thread] == probe[2]) {
        back(state, thread, longer);
      } else if (passes(state.wait[thread], probe)) {
        longer[0] = state.id[state.waitsFor[thread]];
        state.flying.add(longer);
      }
    }
  }

  private boolean passes(int wait, int[] probe) {
    boolean ends = (probe.length - HEAD) / HOP >= setup.threads;
    return !ends && !has(Flaw.NONE_PASS) && (wait < probe[2] || has(Flaw.ALL_PASS));
  }

  private void back(ProbeState state, int thread, int[] probe) {
    int[] path = Arrays.copyOfRange(probe, HEAD, probe.length);
    int known = indexOf(state, thread, path);
    if (known < 0) {
      int[] noted = new int[path.length + NOTE];
      noted[0] = thread;
      noted[1] = state.walk[thread];
      System.arraycopy(path, 0, noted, NOTE, path.length);
      state.seen.add(noted);
      begin(state, thread);
      if (has(Flaw.ONE_WALK)) {
        tell(state, path);
      }
      return;
    }
    int[] noted = state.seen.get(known);
    if (noted[1] != TOLD && (probe[3] > noted[1] || has(Flaw.ANY_TWO))) {
      noted[1] = has(Flaw.FORGETS) ? 0 : TOLD;
      tell(state, path);
    }
  }

  /** Where a path of a thread is noted; negative if it is not. */
  private int indexOf(ProbeState state, int thread, int[] path) {
    for (int i = 0; i < state.seen.size(); i++) {
      int[] each = state.seen.get(i);
      if (each[0] == thread && isSame(Arrays.copyOfRange(each, NOTE, each.length), path)) {
        return i;
      }
    }
    return -1;
  }

  private boolean isSame(int[] one, int[] other) {
    boolean same = one.length == other.length;
    for (int i = 0; same && i < one.length; i++) {
      same = one[i] == other[i] || (has(Flaw.NO_WAIT) && i % HOP == 1);
    }
    return same;
  }

  // Truth

  private void tell(ProbeState state, int[] path) {
    int[] circle = fromTheYoungest(path);
    if (!contains(state.circles, circle)) {
      state.broken = Rule.REAL;
    } else if (contains(state.told, circle)) {
      state.broken = Rule.ONCE;
    }
    state.told.add(circle);
  }

  private static boolean contains(List<int[]> all, int[] one) {
    return all.stream().anyMatch(each -> Arrays.equals(each, one));
  }

  private static boolean isYoungest(ProbeState state, int thread, int[] circle) {
    return circle.length > 0 && circle[circle.length - 1] == state.wait[thread];
  }

  /** Notes the circles that there are after a move. */
  private ProbeState graph(ProbeState state) {
    for (int thread = 0; thread < setup.threads; thread++) {
      int[] circle = circleOf(state, thread);
      if (circle.length > 0 && !contains(state.circles, circle)) {
        state.circles.add(circle);
      }
      if (!isYoungest(state, thread, circle)) {
        state.looks[thread] = 0;
      }
    }
    return state;
  }

  /** The circle in which a thread is, with the youngest last; empty if there is none. */
  private int[] circleOf(ProbeState state, int thread) {
    int[] path = new int[0];
    int next = thread;
    for (int i = 0; i < setup.threads && state.waitsFor[next] != NONE; i++) {
      int lock = state.waitsFor[next];
      next = state.holder[lock];
      path = Arrays.copyOf(path, path.length + HOP);
      path[path.length - HOP] = state.id[lock];
      path[path.length - 1] = state.wait[next];
      if (next == thread) {
        return fromTheYoungest(path);
      }
    }
    return new int[0];
  }

  private static int[] fromTheYoungest(int[] path) {
    int youngest = 0;
    for (int at = 0; at < path.length; at += HOP) {
      youngest = path[at + 1] > path[youngest + 1] ? at : youngest;
    }
    int[] turned = new int[path.length];
    for (int i = 0; i < path.length; i++) {
      turned[i] = path[(youngest + HOP + i) % path.length];
    }
    return turned;
  }

  @Override
  public Optional<String> broken(ProbeState before, String step, ProbeState after) {
    return after.broken == Rule.NONE ? Optional.empty() : Optional.of(after.broken + " is broken");
  }

  @Override
  public String tell(ProbeState before, String step, ProbeState after) {
    return step;
  }

  private static String name(int thread) {
    return String.valueOf((char) ('A' + thread));
  }
}
