package io.mortise.cli.jfr;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import org.jspecify.annotations.Nullable;

/** Stacks as text: one frame is {@code package.Type.method:line}. Equal stacks are one object. */
public final class Stacks {
  private static final String OURS = "io.mortise.";
  private static final Pattern DUMPED_THREAD = Pattern.compile("\"(.*)\" #(\\d{1,18}) .*");

  private static final Pattern DUMPED_FRAME =
      Pattern.compile("\\s+at (?:[^(]*/)?([^(/]+)\\((?:.*?:(\\d+)|.*)\\)\\s*");

  private static final String INTERNAL = "io.mortise.internal.";

  private final Map<List<String>, List<String>> known = new HashMap<>();
  private final Map<String, String> frames = new HashMap<>();

  /** The whole stack, the innermost frame first. */
  List<String> all(@Nullable RecordedStackTrace trace) {
    if (trace == null) {
      return List.of();
    }
    List<String> stack = new ArrayList<>();
    for (RecordedFrame each : trace.getFrames()) {
      RecordedMethod method = each.getMethod();
      if (method != null && each.isJavaFrame() && !isLambda(method)) {
        String frame =
            method.getType().getName() + '.' + method.getName() + ':' + each.getLineNumber();
        stack.add(frames.computeIfAbsent(frame, text -> text));
      }
    }
    return known.computeIfAbsent(List.copyOf(stack), same -> same);
  }

  /** The class of a lambda has a name that says nothing, and its method follows. */
  private static boolean isLambda(RecordedMethod method) {
    return method.getType().getName().contains("$$Lambda");
  }

  /** The thread of a stack in a dump. */
  record Dumped(String name, long id) {}

  /** The stacks of a dump of all threads, as the JVM writes it. */
  static Map<Dumped, List<String>> ofDump(String text) {
    Map<Dumped, List<String>> stacks = new HashMap<>();
    List<String> stack = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      Matcher thread = DUMPED_THREAD.matcher(line);
      Matcher frame = DUMPED_FRAME.matcher(line);
      if (thread.matches()) {
        stack = new ArrayList<>();
        stacks.put(new Dumped(thread.group(1), Long.parseLong(thread.group(2))), stack);
      } else if (frame.matches()) {
        stack.add(frame.group(1) + ':' + (frame.group(2) == null ? "-1" : frame.group(2)));
      }
    }
    return stacks;
  }

  /** The stack without the frames of this library, and of the JDK, on its inner end. */
  List<String> ofApplication(@Nullable RecordedStackTrace trace) {
    List<String> stack = all(trace);
    int first = 0;
    while (first < stack.size() && (isOurs(stack.get(first)) || isOfJdk(stack.get(first)))) {
      first++;
    }
    return known.computeIfAbsent(List.copyOf(stack.subList(first, stack.size())), same -> same);
  }

  /** Whether a frame is one of this library. Its other packages, as of the command, are not. */
  static boolean isOurs(String frame) {
    return frame.startsWith(INTERNAL)
        || (frame.startsWith(OURS) && Character.isUpperCase(frame.charAt(OURS.length())));
  }

  static boolean isOfJdk(String frame) {
    return frame.startsWith("java.")
        || frame.startsWith("javax.")
        || frame.startsWith("jdk.")
        || frame.startsWith("sun.")
        || frame.startsWith("com.sun.");
  }

  /** The innermost frame of the application, or empty. */
  public static String place(List<String> stack) {
    return stack.stream()
        .filter(each -> !isOurs(each) && !isOfJdk(each))
        .findFirst()
        .map(Stacks::brief)
        .orElse("");
  }

  /** A frame without its package. */
  public static String brief(String frame) {
    int method = frame.lastIndexOf('.', frame.lastIndexOf(':'));
    int type = frame.lastIndexOf('.', method - 1);
    return frame.substring(type + 1).replace('$', '.');
  }
}
