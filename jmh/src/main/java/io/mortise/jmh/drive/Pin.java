package io.mortise.jmh.drive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps processes on some processors for a while, with {@code taskset} of util-linux. Processes
 * that they start meanwhile run there too. Without {@code taskset}, this class does nothing.
 */
public final class Pin {
  /** Where a measurement runs. */
  public enum Processors {
    /** On all. */
    ANY,
    /**
     * All processes on one. A client of one thread and its server alternate there, and no processor
     * goes idle between request and reply.
     */
    ONE,
    /**
     * The server alone on one, so that nothing interrupts its scripts, and the others elsewhere.
     */
    APART
  }

  /** An action on chosen processors. */
  public interface Task {
    /**
     * Runs the action.
     *
     * @throws Exception the action failed
     */
    void run() throws Exception;
  }

  private final List<Long> processes;
  private final String all;

  private Pin(List<Long> processes, String all) {
    this.processes = processes;
    this.all = all;
  }

  /**
   * Creates a pin for these processes.
   *
   * @param processes their ids, first that of the server, including the id of this process
   * @return a pin, which may be {@linkplain #isPossible impossible}
   */
  public static Pin of(Long... processes) {
    try {
      for (Long each : processes) {
        taskset("-p", String.valueOf(each));
      }
      String answer = taskset("-c", "-p", String.valueOf(processes[0]));
      String list = answer.substring(answer.lastIndexOf(':') + 1).strip();
      return new Pin(List.of(processes), list);
    } catch (IOException e) {
      return new Pin(List.of(), "");
    }
  }

  /**
   * Whether this pin has an effect.
   *
   * @return whether there is a {@code taskset} that answers
   */
  public boolean isPossible() {
    return !processes.isEmpty();
  }

  /**
   * Runs an action while the processes are on some processors. With one processor, or without
   * {@code taskset}, all of them run anywhere.
   *
   * @param on where
   * @param task the action
   * @throws Exception the action failed, or the processes could not be moved
   */
  public void run(Processors on, Task task) throws Exception {
    String last = all.replaceAll(".*[-,]", ""); // the first gets most interrupts
    String others = without(last);
    if (on == Processors.ANY || !isPossible() || others.isEmpty()) {
      task.run();
      return;
    }
    try {
      move(processes.subList(0, 1), last);
      move(processes.subList(1, processes.size()), on == Processors.ONE ? last : others);
      task.run();
    } finally {
      move(processes, all);
    }
  }

  /** All processors but the last, such as 0-2 of 0-3, or an empty text if it is the only one. */
  private String without(String last) {
    if (all.endsWith("," + last)) {
      return all.substring(0, all.length() - last.length() - 1);
    }
    return all.endsWith("-" + last)
        ? all.substring(0, all.length() - last.length()) + (Integer.parseInt(last) - 1)
        : "";
  }

  private static void move(List<Long> processes, String list) throws IOException {
    for (long each : processes) {
      taskset("-a", "-c", "-p", list, String.valueOf(each));
    }
  }

  private static String taskset(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("taskset"));
    command.addAll(Arrays.asList(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean failed = process.onExit().join().exitValue() != 0;
    if (failed && !answer.contains("No such process")) { // a thread that has ended
      throw new IOException(String.join(" ", command) + ": " + answer.strip());
    }
    return answer;
  }
}
