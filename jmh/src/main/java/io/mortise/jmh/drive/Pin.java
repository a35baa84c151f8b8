package io.mortise.jmh.drive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps processes on one processor for a while, with {@code taskset} of util-linux. A client of one
 * thread and its server alternate there, and no processor goes idle between request and reply.
 * Processes that start meanwhile run on that processor too. Without {@code taskset}, this class
 * does nothing.
 */
public final class Pin {
  /** An action on one processor. */
  public interface Task {
    /**
     * Runs the action.
     *
     * @throws Exception the action failed
     */
    void run() throws Exception;
  }

  private final List<Long> processes;
  private final String processors;

  private Pin(List<Long> processes, String processors) {
    this.processes = processes;
    this.processors = processors;
  }

  /**
   * Creates a pin for these processes.
   *
   * @param processes their ids, including the id of this process
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
   * Runs an action while all processes are on one processor.
   *
   * @param task the action
   * @throws Exception the action failed, or the processes could not be moved
   */
  public void together(Task task) throws Exception {
    move(processors.replaceAll(".*[-,]", "")); // the last: the first gets most interrupts
    try {
      task.run();
    } finally {
      move(processors);
    }
  }

  private void move(String list) throws IOException {
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
