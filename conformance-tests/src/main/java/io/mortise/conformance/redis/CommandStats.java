package io.mortise.conformance.redis;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the commandstats section of INFO. */
final class CommandStats {
  private static final Pattern LINE =
      Pattern.compile("cmdstat_(?!info|config|auth|psync|replconf)(\\S+?):calls=(\\d+),");

  private CommandStats() {}

  static Map<String, Long> parse(String info) {
    Map<String, Long> counts = new TreeMap<>();
    for (Matcher line = LINE.matcher(info); line.find(); ) {
      counts.put(line.group(1), Long.valueOf(line.group(2)));
    }
    return counts;
  }
}
