package io.mortise.cli.jfr;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Times by stacks, as a tree. A frame's width is its time. */
public final class FlameGraph {
  /** One frame. */
  public static final class Frame {
    private final String name;
    private final Map<String, Frame> inner = new TreeMap<>();
    private long own;
    private long total;

    private Frame(String name) {
      this.name = name;
    }

    public String name() {
      return name;
    }

    /** The frames that it called, in the order of their names. */
    public List<Frame> inner() {
      return List.copyOf(inner.values());
    }

    /** Its time with that of its inner frames (ns). */
    public long total() {
      return total;
    }
  }

  private final Frame root;

  FlameGraph(String name) {
    root = new Frame(name);
  }

  void add(List<String> path, long nanos) {
    Frame at = root;
    at.total += nanos;
    for (String each : path) {
      at = at.inner.computeIfAbsent(each, Frame::new);
      at.total += nanos;
    }
    at.own += nanos;
  }

  /** The frame of all. */
  public Frame root() {
    return root;
  }

  /**
   * One line for each stack, with its milliseconds: {@code frame;frame;frame 412}. Any tool that
   * draws flame graphs reads that.
   */
  public List<String> collapsed() {
    Map<String, Long> lines = new LinkedHashMap<>();
    for (Frame each : root.inner()) {
      collapse("", each, lines);
    }
    List<String> text = new ArrayList<>();
    lines.forEach((stack, nanos) -> {
      long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
      if (millis > 0) {
        text.add(stack + ' ' + millis);
      }
    });
    return text;
  }

  private static void collapse(String outer, Frame frame, Map<String, Long> to) {
    String path = outer + frame.name.replace(';', ':');
    if (frame.own > 0) {
      to.merge(path, frame.own, Long::sum);
    }
    for (Frame each : frame.inner.values()) { // a stack may be two thousand frames deep
      collapse(path + ';', each, to);
    }
  }
}
