package io.mortise.cli.jfr;

import java.util.List;
import java.util.Set;

/** What a recording says of locks, by the clock of its own process. */
public final class Recorded {
  private Recorded() {}

  /**
   * A thread of a process.
   *
   * @param process the name of its recording
   * @param thread the thread's name, or empty for a lease
   * @param id the thread's id, or -1 if only its name is known
   */
  public record Place(String process, String thread, long id) {
    /** Whether both are one thread, also if of one its name alone is known. */
    boolean isSame(Place other) {
      return process.equals(other.process)
          && ((id >= 0 && other.id >= 0) ? id == other.id : thread.equals(other.thread));
    }

    Place in(String other) {
      return new Place(other, thread, id);
    }

    @Override
    public String toString() {
      return thread.isEmpty() ? process : process + ' ' + thread;
    }
  }

  /**
   * A time that something lasts, of one lock.
   *
   * @param by whose it is
   * @param lock the lock's name
   * @param kind the kind of the handle, as {@code plain}
   * @param begin when it began
   * @param end when it ended
   */
  public record Span(Place by, String lock, String kind, long begin, long end) {
    private static final Set<String> SHARED = Set.of("read", "semaphore", "latch");

    Span in(String process) {
      return new Span(by.in(process), lock, kind, begin, end);
    }

    /** Whether no other may hold the lock at the same time. */
    boolean isExclusive() {
      return !SHARED.contains(kind);
    }

    long length() {
      return end - begin;
    }
  }

  /**
   * A wait for a lock.
   *
   * @param span who waited, and when
   * @param outcome how it ended, as {@code acquired}, or {@link #LASTS}
   * @param via how the lock was acquired, as {@code granted}
   * @param holder the acquisition id that it got, or empty
   * @param stack where it waited, from the innermost frame of the application outwards
   */
  public record Wait(Span span, String outcome, String via, String holder, List<String> stack) {
    boolean isAcquired() {
      return outcome.equals("acquired");
    }
  }

  /**
   * A hold of a lock.
   *
   * @param span who held it, and when
   * @param end how it ended: {@code released}, {@code lost} or {@link #LASTS}
   * @param via how it was acquired, or empty if that is not known
   * @param holder the acquisition id
   * @param stack where it ended, as in {@link Wait}
   */
  public record Hold(Span span, String end, String via, String holder, List<String> stack) {}

  /**
   * The loss of a lease.
   *
   * @param span whose, and when
   * @param holder the acquisition id
   * @param cause why, as {@code forced}
   * @param reason the same in words
   */
  public record Loss(Span span, String holder, String cause, String reason) {}

  /**
   * Threads that wait for each other.
   *
   * @param by the process that found it
   * @param at when
   * @param parties one line for each thread: what it holds, and what it waits for
   */
  public record Deadlock(Place by, long at, List<String> parties) {
    boolean concerns(String lock) {
      return parties.stream().anyMatch(each -> each.contains('\'' + lock + '\''));
    }
  }

  /**
   * A reply of the server that had its time.
   *
   * @param process who got it
   * @param lock the lock that was asked for
   * @param server the server's time
   * @param sent when the command was sent, by the clock of the process
   * @param replied when the reply came
   */
  public record Sample(String process, String lock, long server, long sent, long replied) {}

  /** The end of a hold or wait that had not ended when its recording did. */
  static final String LASTS = "lasts";
}
