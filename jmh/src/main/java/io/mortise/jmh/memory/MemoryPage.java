package io.mortise.jmh.memory;

import static io.mortise.jmh.memory.Figure.CLIENTS;
import static io.mortise.jmh.memory.Figure.COMMANDS;
import static io.mortise.jmh.memory.Figure.CONNECTIONS;
import static io.mortise.jmh.memory.Figure.DIRECT;
import static io.mortise.jmh.memory.Figure.HEAP;
import static io.mortise.jmh.memory.Figure.HEAP_LATER;
import static io.mortise.jmh.memory.Figure.KEYS;
import static io.mortise.jmh.memory.Figure.KEYS_LATER;
import static io.mortise.jmh.memory.Figure.LOST;
import static io.mortise.jmh.memory.Figure.SCRIPTS;
import static io.mortise.jmh.memory.Figure.STORE;
import static io.mortise.jmh.memory.Figure.STORE_LATER;
import static io.mortise.jmh.memory.Figure.THREADS;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.report.Markdown;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The page: the tables and the notes for their reader, as Markdown. */
final class MemoryPage {
  /** A heading with its sentences, and a table of subjects and figures. */
  private record Section(String text, String title, List<Subject> subjects, List<Figure> figures) {}

  private final Findings findings;
  private final boolean quick;

  MemoryPage(Findings findings, boolean quick) {
    this.findings = findings;
    this.quick = quick;
  }

  /**
   * The page.
   *
   * @param run what the head says of the run: date, rounds, minutes, machine, contestants, JDK,
   *     flags
   */
  String text(Object... run) {
    return """
    # Memory and threads

    `./mortise memory` wrote this page on %s. Every figure is from that run (%s; %d minutes).
    The run needs a `redis-server` on the `PATH`. `./mortise memory --quick` measures few objects and prints the
    tables. It is an impression, not a result.

    Machine: %s.
    Contestants: %s.

    ## How it is measured
    - Each figure is from a JVM of its own with a server of its own: JDK %s, `java %s`.
    - References are compressed to 4 bytes, as in every JVM with less than 32 GB of heap.
    - *Heap* is the smallest size of what each of three full collections leaves. Each figure is the difference of two
      such readings in one JVM, before the objects exist and when they exist, divided by their number.
    - Before the first reading the JVM has used everything once. So classes, scripts and the first connections
      are not in the figures.
    - *Store* is the difference of the server's `used_memory`, without the memory of its connections.
    - The tables have the median of all rounds and, in brackets, the smallest and the largest value.
    - A negative number of threads is a thread that ended meanwhile.
    - All settings are at their defaults, with leases of 30 s.
    - Mortise in memory has its store in the heap of the same JVM, so its heap is that of client and store.
    """
            .formatted(run)
        + tables();
  }

  /** The tables with their headings. A table without figures is left out. */
  String tables() {
    StringBuilder text = new StringBuilder();
    for (Section section : List.of(services(), objects(), namesUsedOnce(), heldAtOnce())) {
      List<Subject> measured = section.subjects.stream().filter(findings::has).toList();
      if (!measured.isEmpty()) {
        text.append('\n').append(section.text).append('\n');
        table(section, measured).lines().forEach(line -> text.append(line).append('\n'));
      }
    }
    return text.toString();
  }

  private Section services() {
    return new Section(
        """
        ## One service
        The mean of %d services. Two others were open before in the same JVM, so what services of a JVM share is
        not in the figures. *Direct buffers* are outside the heap.
        """
            .formatted(Subject.SERVICE.size(quick)),
        "one service",
        List.of(Subject.SERVICE, Subject.BUSY_SERVICE),
        List.of(HEAP, DIRECT, THREADS, CONNECTIONS, CLIENTS));
  }

  private Section objects() {
    return new Section(
        """
        ## One lock, one waiter
        - A held lock is one of %,d that eight threads hold. Its handle is in the figure. The text of its name is not.
        - %,d threads or %,d asynchronous acquisitions wait for one lock, or %d for a lock each. Another service
          holds these locks.
        - The threads existed before the first reading, and each had locked something. So the figures are without
          the threads themselves, and without what the JDK keeps for a thread that has used a socket.
        """
            .formatted(
                Subject.HELD_LOCK.size(quick),
                Subject.WAITING_THREAD.size(quick),
                Subject.PENDING.size(quick),
                Subject.PENDING_ALONE.size(quick)),
        "what",
        List.of(
            Subject.HELD_LOCK,
            Subject.WAITING_THREAD,
            Subject.WAITING_THREAD_ALONE,
            Subject.PENDING,
            Subject.PENDING_ALONE),
        List.of(HEAP, STORE, THREADS, CONNECTIONS));
  }

  private Section namesUsedOnce() {
    return new Section(
        """
        ## Names used once
        Eight threads lock and unlock %,d names, each once. The figures are what is left of all names together,
        3 s after the last, and a minute later.
        """
            .formatted(Subject.NAMES_USED_ONCE.size(quick)),
        "what is left",
        List.of(Subject.NAMES_USED_ONCE),
        List.of(HEAP, STORE, KEYS, THREADS, HEAP_LATER, STORE_LATER, KEYS_LATER));
  }

  private Section heldAtOnce() {
    return new Section(
        """
        ## Many locks held at once
        Eight threads hold %,d locks. Heap, store and keys are those of one of them. Renewal is counted for longer
        than a lease, and after that the server must still have every lock. *Scripts* are what the service sends.
        *Commands* are what the server runs, those inside scripts too.
        """
            .formatted(Subject.LOCKS_HELD_AT_ONCE.size(quick)),
        "one of them",
        List.of(Subject.LOCKS_HELD_AT_ONCE),
        List.of(HEAP, STORE, KEYS, SCRIPTS, COMMANDS, LOST));
  }

  private Markdown table(Section section, List<Subject> measured) {
    List<String> titles = new ArrayList<>(List.of(section.title, "of"));
    section.figures.forEach(figure -> titles.add(figure.title()));
    List<String> sets = new ArrayList<>(Collections.nCopies(titles.size(), "--:"));
    sets.set(0, "---");
    sets.set(1, "---");
    Markdown table = new Markdown(titles, sets);
    for (Subject subject : measured) {
      String label = subject.title();
      for (Contestant contestant : MemoryMain.CONTESTANTS) {
        List<String> cells = new ArrayList<>(List.of(label, contestant.title()));
        section.figures.forEach(figure -> cells.add(findings.text(subject, contestant, figure)));
        table.add(cells.toArray(String[]::new));
        label = "";
      }
    }
    return table;
  }
}
