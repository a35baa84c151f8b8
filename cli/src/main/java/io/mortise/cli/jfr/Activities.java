package io.mortise.cli.jfr;

import io.mortise.cli.jfr.Recorded.Place;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import org.jspecify.annotations.Nullable;

/** What threads did while they held a lock: where they ran, slept, or waited for something else. */
final class Activities {
  private static final Map<String, String> TYPES =
      Map.of(
          "jdk.ExecutionSample", "runs",
          "jdk.NativeMethodSample", "runs in native code",
          "jdk.SocketRead", "reads from a socket",
          "jdk.SocketWrite", "writes to a socket",
          "jdk.FileRead", "reads a file",
          "jdk.ThreadPark", "is parked",
          "jdk.ThreadSleep", "sleeps",
          "jdk.JavaMonitorEnter", "waits for a monitor",
          "jdk.JavaMonitorWait", "waits on a monitor",
          "io.mortise.LockWait", "waits for another lock");

  /**
   * What a thread did.
   *
   * @param begin when, by the clock of its process
   * @param end the same as the begin for a sample
   * @param what in words
   * @param stack the innermost frame first
   */
  record Activity(long begin, long end, String what, List<String> stack) {
    boolean isSample() {
      return begin == end;
    }
  }

  /** The times in which a thread is of interest, and what it did then. */
  private static final class Interest {
    final TreeMap<Long, Long> times = new TreeMap<>();
    final List<Activity> found = new ArrayList<>();
    long longest;

    void add(long begin, long end) {
      long from = begin;
      long to = end;
      for (Map.Entry<Long, Long> each = times.floorEntry(to);
          each != null && each.getValue() >= from;
          each = times.floorEntry(to)) {
        from = Math.min(from, each.getKey());
        to = Math.max(to, each.getValue());
        times.remove(each.getKey());
      }
      times.put(from, to);
    }

    /** All is found. */
    void complete() {
      found.sort(Comparator.comparingLong(Activity::begin));
      longest = found.stream().mapToLong(each -> each.end() - each.begin()).max().orElse(0);
    }

    List<Activity> between(long begin, long end) {
      int first = 0;
      int last = found.size();
      while (first < last) {
        int middle = (first + last) >>> 1;
        if (found.get(middle).begin() < begin - longest) {
          first = middle + 1;
        } else {
          last = middle;
        }
      }
      return found.subList(first, found.size()).stream()
          .takeWhile(each -> each.begin() <= end)
          .filter(each -> each.end() >= begin)
          .toList();
    }

    boolean has(long begin, long end) {
      Map.Entry<Long, Long> last = times.floorEntry(end);
      return last != null && last.getValue() >= begin;
    }
  }

  private final Map<String, Map<String, Interest>> byProcess = new HashMap<>();

  /** From now on, a time of a thread is of interest. */
  void want(Place place, long begin, long end) {
    byProcess
        .computeIfAbsent(place.process(), name -> new HashMap<>())
        .computeIfAbsent(key(place), name -> new Interest())
        .add(begin, end);
  }

  private static String key(Place place) {
    return place.id() >= 0 ? key(place.id()) : place.thread();
  }

  private static String key(long id) {
    return "\0" + id;
  }

  /** Reads the recordings of all processes that are of interest. */
  void read(Map<Path, String> processes, Recordings.Watcher watcher) throws IOException {
    for (Map.Entry<Path, String> each : processes.entrySet()) {
      Map<String, Interest> threads = byProcess.get(each.getValue());
      if (threads != null) {
        Stacks stacks = new Stacks();
        new RecordingReader(each.getKey(), watcher)
            .read(event -> {
              if (event.getEventType().getName().equals("jdk.ThreadDump")) {
                noteDump(threads, event);
                return;
              }
              String what = TYPES.get(event.getEventType().getName());
              RecordedThread thread = what == null ? null : thread(event);
              if (what != null && thread != null) {
                note(threads, thread, event, what, stacks);
              }
            });
      }
    }
    byProcess.values().forEach(threads -> threads.values().forEach(Interest::complete));
  }

  /**
   * A dump of all threads is in a recording at the begin and end of each chunk. It alone has a
   * thread whose sleep or read has not ended.
   */
  private static void noteDump(Map<String, Interest> threads, RecordedEvent event) {
    long time = EventReader.nanos(event.getStartTime());
    Stacks.ofDump(event.getString("result"))
        .forEach((thread, stack) -> {
          for (String key : List.of(thread.name(), key(thread.id()))) {
            Interest known = threads.get(key);
            if (known != null && known.has(time, time)) {
              known.found.add(new Activity(time, time, "stands", stack));
            }
          }
        });
  }

  private static @Nullable RecordedThread thread(RecordedEvent event) {
    return event.hasField("sampledThread") ? event.getThread("sampledThread") : event.getThread();
  }

  private static void note(
      Map<String, Interest> threads,
      RecordedThread thread,
      RecordedEvent event,
      String what,
      Stacks stacks) {
    Interest byId = threads.get(key(thread.getJavaThreadId()));
    Interest byName = threads.get(EventReader.name(thread));
    if (byId == null && byName == null) {
      return;
    }
    long begin = EventReader.nanos(event.getStartTime());
    long end = EventReader.nanos(event.getEndTime());
    boolean ours = Stacks.isOurs(event.getEventType().getName());
    Activity activity =
        new Activity(
            begin,
            end,
            what,
            ours ? stacks.ofApplication(event.getStackTrace()) : stacks.all(event.getStackTrace()));
    if (byId != null && byId.has(begin, end)) {
      byId.found.add(activity);
    }
    if (byName != null && byName.has(begin, end)) {
      byName.found.add(activity);
    }
  }

  /** What a thread did in a time, in order. It may have begun before, and may end after. */
  List<Activity> of(Place place, long begin, long end) {
    Interest known = byProcess.getOrDefault(place.process(), Map.of()).get(key(place));
    return known == null ? List.of() : known.between(begin, end);
  }
}
