package io.mortise.conformance.outside;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Logs faults: a line before each one begins, and a line after it is over. */
final class Faults {
  private Faults() {}

  /** Logs the line before a fault. */
  static void begin(Log log, String id, Fault.Sort sort, Object... fields) {
    beginAt(log, log.now(), id, sort, fields);
  }

  private static void beginAt(Log log, long at, String id, Fault.Sort sort, Object... fields) {
    List<Object> all = new ArrayList<>(List.of(History.FAULT_ID, id, "sort", sort));
    all.addAll(Arrays.asList(fields));
    log.tellAt(at, History.FAULT, all.toArray());
  }

  /** Logs the line after a fault. */
  static void end(Log log, String id) {
    log.tell(History.OVER, History.FAULT_ID, id);
  }

  /** Logs the line after a fault that found nothing to disturb. */
  static void endOfNothing(Log log, String id) {
    log.tell(History.OVER, History.FAULT_ID, id, History.NOTHING, true);
  }

  /** Logs both lines of a fault that was noticed afterwards. */
  static void tell(Log log, String id, Span time, Fault.Sort sort, Object... fields) {
    beginAt(log, time.from(), id, sort, fields);
    log.tellAt(time.until(), History.OVER, History.FAULT_ID, id);
  }
}
