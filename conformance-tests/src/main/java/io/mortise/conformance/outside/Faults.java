package io.mortise.conformance.outside;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Writes faults down: before they are done, and after they are over. */
final class Faults {
  private Faults() {}

  /** The line before. */
  static void begin(Log log, String id, Fault.Sort sort, Object... fields) {
    beginAt(log, log.now(), id, sort, fields);
  }

  private static void beginAt(Log log, long at, String id, Fault.Sort sort, Object... fields) {
    List<Object> all = new ArrayList<>(List.of(History.FAULT_ID, id, "sort", sort));
    all.addAll(Arrays.asList(fields));
    log.tellAt(at, History.FAULT, all.toArray());
  }

  /** The line after. */
  static void end(Log log, String id) {
    log.tell(History.OVER, History.FAULT_ID, id);
  }

  /** The line after, of a fault that found nothing to do. */
  static void endOfNothing(Log log, String id) {
    log.tell(History.OVER, History.FAULT_ID, id, History.NOTHING, true);
  }

  /** Both lines of what was noticed afterwards. */
  static void tell(Log log, String id, long begin, long end, Fault.Sort sort, Object... fields) {
    beginAt(log, begin, id, sort, fields);
    log.tellAt(end, History.OVER, History.FAULT_ID, id);
  }
}
